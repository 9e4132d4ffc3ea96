import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const IMAGE = "pgvector/pgvector:pg17";
const PG_LOCAL = fileURLToPath(new URL("../../scripts/pg-local.sh", import.meta.url));

/**
 * @typedef {{ kind: "postgres", url: string, why: string, stop?: () => Promise<unknown> }} FoundPostgres
 * @typedef {{ kind: "embedded", why: string }} FoundEmbedded
 */

/**
 * The database that the tests run on: `TEST_DATABASE_URL`, a container, `scripts/pg-local.sh`, the embedded one.
 * `TEST_DB=postgres|embedded` forces one. A source that fails is told to `note` and the next one is tried.
 *
 * @param {NodeJS.ProcessEnv} env
 * @param {(line: string) => void} note
 * @returns {Promise<FoundPostgres | FoundEmbedded>}
 */
export async function findDatabase(env, note) {
  const wish = env.TEST_DB ?? "";
  if (!["", "postgres", "embedded"].includes(wish))
    throw new Error(`TEST_DB must be postgres or embedded, not ${wish}`);
  if (wish === "embedded") return { kind: "embedded", why: "TEST_DB=embedded" };
  if (env.TEST_DATABASE_URL) return { kind: "postgres", url: env.TEST_DATABASE_URL, why: "TEST_DATABASE_URL" };
  const found = (await tryContainer(env, note)) ?? (await tryPgLocal(env, note));
  if (found !== undefined) return found;
  if (wish === "postgres") throw new Error("TEST_DB=postgres, and no Postgres is to be had: set TEST_DATABASE_URL");
  return { kind: "embedded", why: "no TEST_DATABASE_URL, no container engine, no scripts/pg-local.sh" };
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @param {(line: string) => void} note
 * @returns {Promise<FoundPostgres | undefined>}
 */
async function tryContainer(env, note) {
  if (!env.DOCKER_HOST && !existsSync("/var/run/docker.sock")) return undefined;
  try {
    const { PostgreSqlContainer } = await import("@testcontainers/postgresql");
    const container = await new PostgreSqlContainer(IMAGE).withStartupTimeout(120_000).start();
    return {
      kind: "postgres",
      url: container.getConnectionUri(),
      why: `container ${IMAGE}`,
      stop: () => container.stop(),
    };
  } catch (error) {
    note(`no container: ${firstLine(error)}`);
    return undefined;
  }
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @param {(line: string) => void} note
 * @returns {Promise<FoundPostgres | undefined>}
 */
async function tryPgLocal(env, note) {
  if (!onPath(env, "apt-get") || !onPath(env, "dpkg-deb")) return undefined;
  try {
    const { stdout } = await promisify(execFile)("bash", [PG_LOCAL, "start"], { timeout: 600_000 });
    const url = /^DATABASE_URL=(.+)$/m.exec(stdout)?.[1];
    if (url === undefined) throw new Error("it printed no DATABASE_URL");
    return { kind: "postgres", url, why: "scripts/pg-local.sh" };
  } catch (error) {
    note(`no scripts/pg-local.sh: ${lastLine(error)}`);
    return undefined;
  }
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @param {string} program
 */
function onPath(env, program) {
  return (env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, program)));
}

/** @param {unknown} error */
function firstLine(error) {
  return String(error instanceof Error ? error.message : error).split("\n")[0] ?? "";
}

/** The last line that a failed program wrote is the one that says why. @param {unknown} error */
function lastLine(error) {
  const stderr = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : "";
  return stderr === "" ? firstLine(error) : (stderr.split("\n").at(-1) ?? "");
}
