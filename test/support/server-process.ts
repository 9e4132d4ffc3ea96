import { spawn, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { until } from "./until.js";

/** The command as built by the global set-up. */
export const CLI = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));

/** A start on a busy machine. */
const START_MS = 60_000;

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface SpawnOptions {
  readonly dataDir: string;
  /** Arguments of `memgate`; default `serve`. */
  readonly args?: readonly string[];
  /** The whole environment, but for the path, the data folder and a free port. */
  readonly env?: Readonly<Record<string, string>>;
  /** What runs, default `node dist/cli.js`, and where. */
  readonly command?: readonly string[];
  readonly cwd?: string;
}

const running = new Set<MemgateProcess>();

/** A `memgate` command in a process of its own, away from any `.env` file. */
export class MemgateProcess {
  stdout = "";
  stderr = "";
  readonly exited: Promise<Exit>;
  exit: Exit | undefined;
  private readonly child: ChildProcess;

  constructor(options: SpawnOptions) {
    const { dataDir, args = ["serve"], env = {}, command = [process.execPath, CLI], cwd = dataDir } = options;
    const [program, ...first] = command;
    const base = { PATH: process.env.PATH, HOME: process.env.HOME, PORT: "0", MEMGATE_DATA_DIR: dataDir };
    // A group of its own, so that what it starts itself (npx does) can be ended with it.
    this.child = spawn(program ?? "", [...first, ...args], { cwd, env: { ...base, ...env }, detached: true });
    this.child.stdout?.setEncoding("utf8").on("data", (text: string) => (this.stdout += text));
    this.child.stderr?.setEncoding("utf8").on("data", (text: string) => (this.stderr += text));
    running.add(this);
    this.exited = new Promise((resolve, reject) => {
      this.child.once("error", reject);
      this.child.once("close", (code, signal) => {
        running.delete(this);
        this.exit = { code, signal };
        resolve(this.exit);
      });
    });
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Where it listens, as its banner says. */
  get url(): string {
    return /^Memgate listens at +(\S+)$/m.exec(this.stdout)?.[1] ?? "";
  }

  /** Every line of the log; throws when a line is not JSON. */
  logs(): Readonly<Record<string, unknown>>[] {
    const lines = this.stderr.split("\n").filter((line) => line !== "");
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Kills it and everything that it has started. */
  async kill(): Promise<void> {
    if (this.child.pid !== undefined) process.kill(-this.child.pid, "SIGKILL");
    await this.exited;
  }

  /** Sends the signal and waits for the end. */
  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<Exit> {
    this.signal(signal);
    return await this.exited;
  }

  /** Resolves once the banner is out; rejects, with the error output, when the process ends before. */
  async listening(): Promise<this> {
    await until(
      async () => await Promise.resolve(this.exit !== undefined || this.stdout.includes("/docs\n")),
      START_MS,
    );
    if (this.exit !== undefined) throw new Error(`memgate ended before it listened: ${this.stderr}`);
    return this;
  }
}

/** Starts `memgate serve` and waits until it listens. */
export async function startServer(options: SpawnOptions): Promise<MemgateProcess> {
  return await new MemgateProcess(options).listening();
}

/** Runs a command to its end. */
export async function runCommand(options: SpawnOptions): Promise<MemgateProcess> {
  const command = new MemgateProcess(options);
  await command.exited;
  return command;
}

/** Kills what a test has left running; for `afterEach`. */
export async function killProcesses(): Promise<void> {
  for (const each of [...running]) await each.kill();
}

export interface Answer<Body> {
  readonly status: number;
  readonly body: Body;
}

/** Sends a JSON body, or none with GET. */
export async function call<Body>(url: string, body?: object): Promise<Answer<Body>> {
  const init =
    body === undefined
      ? {}
      : { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  const reply = await fetch(url, init);
  return { status: reply.status, body: (await reply.json()) as Body };
}
