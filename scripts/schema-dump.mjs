import { readFile, writeFile } from "node:fs/promises";
import { schemaText } from "./schema-text.mjs";

const COMMITTED = new URL("../test/schema.sql", import.meta.url);
const mode = process.argv[2];
if (mode !== "--write" && mode !== "--check") {
  console.error("usage: schema-dump.mjs --write|--check");
  process.exit(2);
}

const text = await migratedSchema();
if (mode === "--write") {
  await writeFile(COMMITTED, text);
} else if (text !== (await readFile(COMMITTED, "utf8").catch(() => ""))) {
  const changed = difference(await readFile(COMMITTED, "utf8").catch(() => ""), text);
  console.error(
    `test/schema.sql is not what the migrations make; run npm run schema and look at the diff:\n${changed}`,
  );
  process.exitCode = 1;
}

/** The schema that the migrations make in an empty embedded database. */
async function migratedSchema() {
  const dist = new URL("../dist/db/", import.meta.url).href;
  /** @type {typeof import("../src/db/open-database.js")} */
  const { openDatabase } = await import(`${dist}open-database.js`);
  /** @type {typeof import("../src/db/migrate.js")} */
  const { migrate } = await import(`${dist}migrate.js`);
  /** @type {typeof import("../src/db/sql.js")} */
  const { sql } = await import(`${dist}sql.js`);
  const db = await openDatabase({ kind: "memory" });
  try {
    await migrate(db);
    return await schemaText(db, sql);
  } finally {
    await db.close();
  }
}

/**
 * The lines that only one of the two texts has.
 *
 * @param {string} before
 * @param {string} after
 */
function difference(before, after) {
  const [old, now] = [before.split("\n"), after.split("\n")];
  const gone = old.filter((line) => !now.includes(line)).map((line) => `- ${line}`);
  const come = now.filter((line) => !old.includes(line)).map((line) => `+ ${line}`);
  return [...gone, ...come].join("\n");
}
