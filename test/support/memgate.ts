import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const CLI = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));

/** The variables of one machine: a data folder, an embedding server; nothing of the environment of the tests but PATH. */
export type Env = Readonly<Record<string, string>>;

export interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `memgate` to its end. `folder` is where it runs, so that no .env file is found. */
export async function memgate(folder: string, env: Env, ...args: readonly string[]): Promise<Finished> {
  return await new Promise((resolve) => {
    execFile(process.execPath, [CLI, ...args], optionsFor(folder, env), (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr });
    });
  });
}

export interface Server {
  readonly url: string;
  readonly pid: number;
  /** All that it has printed so far, on both streams. */
  output(): string;
  stop(): Promise<void>;
}

/** Starts `memgate serve` on a free port and waits until it listens; rejects with what it printed when it ends instead. */
export async function serveMemgate(folder: string, env: Env): Promise<Server> {
  const child = spawn(process.execPath, [CLI, "serve"], optionsFor(folder, { PORT: "0", ...env }));
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => void (output += chunk.toString()));
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on("data", () => {
      const found = /^Memgate listens at +(\S+)$/m.exec(output)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once("close", () => {
      reject(new Error(output));
    });
  });
  return { url, pid: child.pid ?? 0, output: () => output, stop: () => stop(child) };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const closed = once(child, "close");
  child.kill("SIGTERM");
  await closed;
}

function optionsFor(folder: string, env: Env) {
  return { cwd: folder, env: { PATH: process.env.PATH, ...env } };
}
