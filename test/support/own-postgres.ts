import { execFile } from "node:child_process";
import { appendFileSync, chownSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir, userInfo } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
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
  const program = async (name: string, ...args: string[]): Promise<void> => {
    const libraries = ["usr/lib", "lib"].map((each) => path.join(TREE, each, `${ARCH}-linux-gnu`)).join(":");
    const env = { PATH: process.env.PATH, LD_LIBRARY_PATH: libraries };
    // Without pipes: the server that pg_ctl starts would keep them open.
    await run("sh", ["-c", 'exec "$0" "$@" >/dev/null 2>&1', path.join(BIN, name), ...args], {
      ...owner,
      cwd: "/",
      env,
    });
  };
  await program("initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync");
  const port = await freePort();
  appendFileSync(
    path.join(data, "postgresql.conf"),
    `listen_addresses = '127.0.0.1'\nport = ${String(port)}\nunix_socket_directories = '${folder}'\nfsync = on\nsynchronous_commit = on\nshared_buffers = 32MB\nmax_connections = 30\n`,
  );
  const start = async (): Promise<void> => {
    await program("pg_ctl", "-D", data, "-l", path.join(folder, "log"), "-w", "-t", "30", "start");
  };
  const kill = async (): Promise<void> => {
    const [postmaster] = readFileSync(path.join(data, "postmaster.pid"), "utf8").split("\n").map(Number);
    if (postmaster !== undefined) await killNow([postmaster, ...childrenOf(postmaster)]);
  };
  return {
    url: `postgres://postgres@127.0.0.1:${String(port)}/postgres`,
    start,
    kill,
    remove: async () => {
      await kill().catch(() => undefined);
      rmSync(folder, { recursive: true, force: true });
    },
  };
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
