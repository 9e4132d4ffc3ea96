import { execFile } from "node:child_process";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";

/**
 * Milliseconds in which a new process opens an embedded database and brings its schema up to date, without the time to
 * load the code.
 *
 * @param {string} dist
 * @param {string} dataDir
 */
export async function openTimes(dist, dataDir) {
  const from = (file) => JSON.stringify(pathToFileURL(path.join(dist, "db", file)).href);
  const program = `
    const { openDatabase } = await import(${from("open-database.js")});
    const { migrate } = await import(${from("migrate.js")});
    const started = performance.now();
    const db = await openDatabase({ kind: "embedded", dataDir: ${JSON.stringify(dataDir)} });
    await migrate(db);
    console.log(performance.now() - started);
    await db.close();
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program]);
  return Number(stdout);
}
