import { execFile, spawn, type ChildProcess } from "node:child_process";
import { appendFileSync, chownSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir, userInfo } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { openDatabase } from "../../src/db/open-database.js";
import { childrenOf, killNow } from "./processes.js";

const run = promisify(execFile);

/** A Postgres of a test's own, durable as in production: `fsync` is on. */
export interface OwnPostgres {
  readonly url: string;
  start(): Promise<void>;
  /** Ends the postmaster and all that it started with SIGKILL. */
  kill(): Promise<void>;
  remove(): Promise<void>;
}

/** Where scripts/pg-local.sh unpacks Postgres 15 and pgvector. */
const TREE = path.join(process.env.PGLOCAL_ROOT ?? `/var/tmp/memgate-postgres-${String(userInfo().uid)}`, "tree");
const BIN = path.join(TREE, "usr/lib/postgresql/15/bin");

/** Whether there are programs to make one with. */
export function hasOwnPostgres(): boolean {
  return existsSync(path.join(BIN, "initdb")) && existsSync("/proc/self/stat");
}

export async function createOwnPostgres(): Promise<OwnPostgres> {
  const owner = await ownerOf();
  const folder = mkdtempSync(path.join(tmpdir(), "memgate-postgres-"));
  chownSync(folder, owner.uid, owner.gid);
  const data = path.join(folder, "data");
  const libraries = ["usr/lib", "lib"].map((each) => path.join(TREE, each, `${ARCH}-linux-gnu`)).join(":");
  const options = { ...owner, cwd: "/", env: { PATH: process.env.PATH, LD_LIBRARY_PATH: libraries } };
  await run(
    path.join(BIN, "initdb"),
    ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"],
    options,
  );
  const port = await freePort();
  appendFileSync(path.join(data, "postgresql.conf"), settings(port, folder));
  const url = `postgres://postgres@127.0.0.1:${String(port)}/postgres`;
  let postmaster: ChildProcess | undefined;
  const kill = async (): Promise<void> => {
    const { pid } = postmaster ?? {};
    if (pid !== undefined) await killNow([pid, ...childrenOf(pid)]);
  };
  return {
    url,
    start: async () => {
      // A child of this process and not of pg_ctl: who is to be restarted must have been waited for by its parent.
      postmaster = spawn(path.join(BIN, "postgres"), ["-D", data], { ...options, stdio: "ignore" });
      await untilItAnswers(url);
    },
    kill,
    remove: async () => {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function settings(port: number, folder: string): string {
  return `
listen_addresses = '127.0.0.1'
port = ${String(port)}
unix_socket_directories = '${folder}'
fsync = on
synchronous_commit = on
shared_buffers = 32MB
max_connections = 30
`;
}

async function untilItAnswers(url: string): Promise<void> {
  for (const deadline = performance.now() + 20_000; ;) {
    try {
      const db = await openDatabase({ kind: "postgres", url, poolMax: 1 });
      await db.close();
      return;
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await sleep(50);
    }
  }
}

const ARCH = process.arch === "arm64" ? "aarch64" : "x86_64";

/** Postgres refuses to run as root. */
async function ownerOf(): Promise<{ uid: number; gid: number }> {
  const { uid, gid } = userInfo();
  if (uid !== 0) return { uid, gid };
  const idOf = async (user: string, flag: string): Promise<number> => Number((await run("id", [flag, user])).stdout);
  const name = await idOf("postgres", "-u").then(
    () => "postgres",
    () => "nobody",
  );
  return { uid: await idOf(name, "-u"), gid: await idOf(name, "-g") };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
