import { createHash, randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compiledDatabase, ROOT } from "./compiled.js";

const TEST_DATABASE = /^memgate_test_([0-9a-z]{8,})_[0-9a-f]+$/;
const ABANDONED_AFTER_MS = 60 * 60 * 1000;

/** Names what a template holds: the migrations, the code that runs them, the embedded Postgres' version. */
export function templateHash() {
  const hash = createHash("sha256");
  for (const folder of ["migrations", "dist/db"]) {
    for (const name of readdirSync(join(ROOT, folder)).sort()) {
      if (folder === "migrations" || /^migrat.*\.js$/.test(name))
        hash.update(name).update(readFileSync(join(ROOT, folder, name)));
    }
  }
  hash.update(readFileSync(join(ROOT, "node_modules/@electric-sql/pglite/package.json")));
  return hash.digest("hex").slice(0, 12);
}

/**
 * A migrated database on the server at `url` that test databases are cloned from; made once per {@link templateHash}.
 *
 * @param {string} url
 * @returns {Promise<{ template: string, description: string }>}
 */
export async function postgresTemplate(url) {
  const { openDatabase, migrate, sql } = await compiledDatabase();
  const template = `memgate_test_template_${templateHash()}`;
  const admin = await openDatabase({ kind: "postgres", url, poolMax: 1 });
  try {
    /** @type {{ name: string }[]} */
    const databases = await admin.run(
      sql`select datname as "name" from pg_database where datname like 'memgate_test_%'`,
    );
    await dropAbandoned(admin, databases);
    if (databases.some(({ name }) => name === template)) return { template, description: admin.description };
    const draft = `memgate_test_${Date.now().toString(36)}_${randomBytes(4).toString("hex")}`;
    await admin.script(`create database ${draft}`);
    const db = await openDatabase({ kind: "postgres", url: withDatabase(url, draft), poolMax: 1 });
    try {
      await migrate(db);
    } finally {
      await db.close();
    }
    // A rename is atomic: another machine that makes the same template at the same time cannot take half of one.
    await admin.script(`alter database ${draft} rename to ${template}`).catch(onlyIfItExists);
    return { template, description: admin.description };
  } finally {
    await admin.close();
  }
}

/**
 * A gzip of a migrated embedded database's folder, made once per {@link templateHash}.
 *
 * @returns {Promise<{ dump: string, description: string }>}
 */
export async function embeddedTemplate() {
  const { openDatabase, migrate } = await compiledDatabase();
  const dump = join(tmpdir(), `memgate-test-template-${templateHash()}.tar.gz`);
  const description = "embedded, in memory";
  if (existsSync(dump)) return { dump, description };
  /** @type {import("../../src/db/database.js").Database & { dump?: () => Promise<Blob> }} */
  const db = await openDatabase({ kind: "memory" });
  try {
    await migrate(db);
    const blob = await db.dump?.();
    if (blob === undefined) throw new Error("the embedded database has no dump()");
    writeFileSync(`${dump}.${String(process.pid)}`, new Uint8Array(await blob.arrayBuffer()));
    renameSync(`${dump}.${String(process.pid)}`, dump);
  } finally {
    await db.close();
  }
  return { dump, description };
}

/**
 * Drops what killed test runs left behind.
 *
 * @param {import("../../src/db/database.js").Database} admin
 * @param {readonly { name: string }[]} databases
 */
async function dropAbandoned(admin, databases) {
  for (const { name } of databases) {
    const madeAt = parseInt(TEST_DATABASE.exec(name)?.[1] ?? "", 36);
    if (madeAt < Date.now() - ABANDONED_AFTER_MS)
      await admin.script(`drop database if exists ${name}`).catch(() => undefined);
  }
}

/** @param {unknown} error */
function onlyIfItExists(error) {
  const DUPLICATE_DATABASE = "42P04";
  if (!(error instanceof Error && "code" in error && error.code === DUPLICATE_DATABASE)) throw error;
}

/**
 * @param {string} url
 * @param {string} name
 */
function withDatabase(url, name) {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}
