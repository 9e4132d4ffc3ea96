import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, describe, expect, it, jest } from "@jest/globals";
import { emptyDataDir, removeDataDirs } from "../support/data-dir.js";
import { call, killProcesses, runCommand, startServer } from "../support/server-process.js";

jest.setTimeout(90_000);
afterEach(killProcesses);
afterAll(removeDataDirs);

const HOOK = fileURLToPath(new URL("record-connections.cjs", import.meta.url));
const LOOPBACK = /^\w+ (localhost|127\.[\d.]+|::1)$/;

/** Preloads the recorder; `read` gives what it has seen. */
function recorder(folder: string): { env: Record<string, string>; read: () => string[] } {
  const file = path.join(folder, "connections.txt");
  return {
    env: { NODE_OPTIONS: `--require ${HOOK}`, RECORD_CONNECTIONS: file },
    read: () => (existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n") : []),
  };
}

describe("a server with the embedded database and the embedded model", () => {
  it("reaches out to nobody, from its first start to its end", async () => {
    const dataDir = await emptyDataDir();
    const { env, read } = recorder(dataDir);
    const server = await startServer({ dataDir, env });
    const memory = { user_id: "ada", content: "The library closes at eight." };
    expect((await call(`${server.url}/v1/memories`, memory)).status).toBe(201);
    const search = { user_id: "ada", query: "When does the library close?" };
    expect(await call(`${server.url}/v1/memories/search`, search)).toMatchObject({ status: 200, body: { count: 1 } });
    for (const page of ["/docs", "/openapi.json"]) expect((await fetch(`${server.url}${page}`)).status).toBe(200);
    expect(await server.stop()).toEqual({ code: 0, signal: null });
    expect(read().filter((line) => !LOOPBACK.test(line))).toEqual([]);
  });

  it("would have been seen to", async () => {
    const dataDir = await emptyDataDir();
    const { env, read } = recorder(dataDir);
    const attempts = `
      require("node:net").connect(1, "192.0.2.1").on("error", () => {}).destroy();
      require("node:dgram").createSocket("udp4").send("x", 1, "192.0.2.2", () => process.exit());
      require("node:dns").resolve4("a.invalid", () => {});
      require("node:dns/promises").lookup("b.invalid").catch(() => {});
      new (require("node:worker_threads").Worker)("fetch('http://c.invalid').catch(() => {})", { eval: true });
      setTimeout(() => process.exit(), 3000);
    `.replace("() => process.exit()", "() => {}");
    await runCommand({ dataDir, env, command: [process.execPath], args: ["-e", attempts] });
    expect(read()).toEqual(
      expect.arrayContaining([
        "connect 192.0.2.1",
        "send 192.0.2.2",
        "resolve4 a.invalid",
        "lookup b.invalid",
        "connect c.invalid",
      ]),
    );
    expect(read().filter((line) => LOOPBACK.test(line))).toEqual([]);
  });
});
