import { tmpdir } from "node:os";
import { join } from "node:path";
import { printAtExit } from "./closing-line.js";
import { buildDist } from "./compiled.js";
import { withFileLock } from "./file-lock.js";
import { findDatabase } from "./find-database.js";
import { embeddedTemplate, postgresTemplate } from "./templates.js";

/** @typedef {import("../support/test-database.js").TestTarget} TestTarget */

/** Compiles, finds a database, makes a migrated template in it, and hands the choice to the workers in `TEST_TARGET`. */
export default async function globalSetup() {
  try {
    const target = await withFileLock(join(tmpdir(), "memgate-test-setup.lock"), prepare);
    process.env.TEST_TARGET = JSON.stringify(target);
  } catch (error) {
    // No test has run, and whoever reads only the closing line must not take that for a pass.
    printAtExit({ passed: 0, failed: 1, skipped: 0 });
    throw error;
  }
}

/** @returns {Promise<TestTarget>} */
async function prepare() {
  await buildDist(process.env, note);
  const found = await findDatabase(process.env, note);
  if (found.kind === "embedded") {
    const { dump, description } = await embeddedTemplate();
    note(`${description} (${found.why})`);
    return { kind: "embedded", dump };
  }
  globalThis.stopTestDatabase = found.stop;
  const { template, description } = await postgresTemplate(found.url);
  note(`postgres, ${description} (${found.why})`);
  return { kind: "postgres", url: found.url, template };
}

/** @param {string} line */
function note(line) {
  process.stderr.write(`test database: ${line}\n`);
}
