import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Compiles `dist/`, which the end-to-end and worker tests run. What does not type-check is still emitted:
 * that stops a CI run, while at the desk the tests go on and `npm run typecheck` tells.
 *
 * @param {NodeJS.ProcessEnv} env
 * @param {(line: string) => void} note
 */
export async function buildDist(env, note) {
  try {
    await promisify(execFile)("npm", ["run", "--silent", "build"], { cwd: ROOT });
  } catch (error) {
    const output = error instanceof Error && "stdout" in error ? String(error.stdout) : String(error);
    if (env.CI) throw new Error(`npm run build failed:\n${output}`, { cause: error });
    note(`npm run build failed, going on with what it emitted:\n${output}`);
  }
}

/** The database modules as compiled, since the set-up runs outside of jest's transform. */
export async function compiledDatabase() {
  /** @type {typeof import("../../src/db/open-database.js")} */
  const { openDatabase } = await importCompiled("db/open-database.js");
  /** @type {typeof import("../../src/db/migrate.js")} */
  const { migrate } = await importCompiled("db/migrate.js");
  /** @type {typeof import("../../src/db/sql.js")} */
  const { sql } = await importCompiled("db/sql.js");
  return { openDatabase, migrate, sql };
}

/** @param {string} path */
async function importCompiled(path) {
  return await import(new URL(`../../dist/${path}`, import.meta.url).href);
}
