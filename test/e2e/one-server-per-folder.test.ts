import { spawn } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it, jest } from "@jest/globals";
import { emptyDataDir, readyDataDir, removeDataDirs } from "../support/data-dir.js";
import { startEmbeddingServer, type EmbeddingServer } from "../support/embedding-server.js";
import { killProcesses, runCommand, startServer } from "../support/server-process.js";
import { until } from "../support/until.js";

jest.setTimeout(90_000);
let embeddings: EmbeddingServer;
/** No model to load: these tests are not about it. */
let env: Readonly<Record<string, string>>;

beforeEach(async () => {
  embeddings = await startEmbeddingServer();
  env = { EMBEDDING_PROVIDER: "ollama", EMBEDDING_BASE_URL: embeddings.url };
});
afterEach(async () => {
  await killProcesses();
  await embeddings.close();
});
afterAll(removeDataDirs);

describe("while a server has the folder", () => {
  it("a second one is refused with the first one's process and address, and the commands ask the first one", async () => {
    const dataDir = await readyDataDir();
    const server = await startServer({ dataDir, env });
    const { pid, url } = server;

    const second = await runCommand({ dataDir, env });
    expect(second.exit).toEqual({ code: 1, signal: null });
    expect(second.stdout).toBe("");
    expect(second.stderr).toBe(`memgate: ${dataDir} is in use: process ${String(pid)} has it open and serves ${url}\n`);

    const [status, migrate, dryRun] = await Promise.all(
      [["status"], ["migrate"], ["migrate", "--dry-run"]].map(async (args) => await runCommand({ dataDir, env, args })),
    );
    expect(status).toMatchObject({ exit: { code: 0 }, stderr: "" });
    const [, said = "", reply = "{}"] = /^(.*?): (\{.*\})\n$/.exec(status!.stdout) ?? [];
    expect(said).toBe(`${url} (process ${String(pid)})`);
    expect(JSON.parse(reply)).toEqual({ status: "ready", database: "ok", migrations: "ok", space: "ok" });
    expect(migrate).toMatchObject({ exit: { code: 0 }, stderr: "" });
    expect(migrate?.stdout).toMatch(
      new RegExp(`^The server at ${url} \\(process ${String(pid)}\\) has the database open and migrated it`),
    );
    expect(dryRun?.stdout).toBe(`-- ${migrate!.stdout}`);

    expect((await fetch(`${url}/health/ready`)).status).toBe(200);
  });

  it("status says so when that server does not answer", async () => {
    const dataDir = await readyDataDir();
    const server = await startServer({ dataDir, env });
    const lock = path.join(dataDir, "memgate.lock");
    // A port that nobody listens on.
    writeFileSync(lock, readFileSync(lock, "utf8").replace(server.url, "http://127.0.0.1:1"));

    const status = await runCommand({ dataDir, env, args: ["status"] });
    expect(status.exit?.code).toBe(1);
    expect(status.stderr).toBe(
      `memgate: http://127.0.0.1:1 (process ${String(server.pid)}) has the database open and does not answer\n`,
    );
  });
});

describe("without a server", () => {
  it("status and a dry run write nothing into a new folder, and say what the first start will do", async () => {
    const dataDir = await emptyDataDir();
    const status = await runCommand({ dataDir, args: ["status"] });
    expect(status).toMatchObject({ exit: { code: 0 }, stderr: "" });
    expect(status.stdout).toBe(`No server runs here, and ${dataDir} has no database yet: the first start makes it.\n`);

    const dryRun = await runCommand({ dataDir, args: ["migrate", "--dry-run"] });
    expect(dryRun).toMatchObject({ exit: { code: 0 }, stderr: "" });
    expect(dryRun.stdout).toMatch(/^-- 0001_memories\.sql\n[^]*create table memories \(/);

    expect(readdirSync(dataDir)).toEqual(["models"]);
  });

  it("migrate makes the schema, after which nothing is pending", async () => {
    const dataDir = await emptyDataDir();
    const run = async (...args: string[]) => (await runCommand({ dataDir, args })).stdout;
    expect(await run("migrate")).toMatch(/^Applied 0001_memories\.sql/);
    expect(await run("migrate", "--dry-run")).toBe("-- nothing is pending\n");
    expect(await run("status")).toMatch(/^No server runs here\. embedded .*: \d+ migrations applied, 0 pending\.\n$/);
    expect(readdirSync(dataDir).sort()).toEqual(["models", "postgres"]);
  });

  it("a lock whose process has ended counts as stale, even while its parent has not asked for its exit code", async () => {
    const dataDir = await readyDataDir();
    // The shell becomes a program that does not know of the child that it has, and only then the child ends: had it ended
    // before, the shell might have asked for its exit code.
    const child = "while grep -q '^sh' /proc/$$/comm; do sleep 0.05; done";
    const parent = spawn("sh", ["-c", `{ ${child}; } & echo $!; exec sleep 60`]);
    try {
      let pid = "";
      parent.stdout.on("data", (text: Buffer) => (pid += text.toString()));
      const stat = (): string => readFileSync(`/proc/${pid.trim()}/stat`, "utf8");
      await until(async () => await Promise.resolve(pid.endsWith("\n") && stat().includes(") Z ")));
      const boot_id = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
      const process_start = stat()
        .slice(stat().lastIndexOf(")") + 2)
        .split(" ")[19];
      const lock = { pid: Number(pid), process_start, boot_id, url: "http://127.0.0.1:1" };
      writeFileSync(path.join(dataDir, "memgate.lock"), JSON.stringify(lock));

      expect((await runCommand({ dataDir, args: ["status"] })).stdout).toMatch(/^No server runs here\./);
    } finally {
      parent.kill("SIGKILL");
    }
  });
});
