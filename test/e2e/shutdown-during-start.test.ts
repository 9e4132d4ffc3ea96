import { existsSync } from "node:fs";
import path from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it, jest } from "@jest/globals";
import { emptyDataDir, removeDataDirs } from "../support/data-dir.js";
import { startEmbeddingServer, type EmbeddingServer } from "../support/embedding-server.js";
import { killProcesses, MemgateProcess, startServer } from "../support/server-process.js";
import { until } from "../support/until.js";

jest.setTimeout(90_000);
let embeddings: EmbeddingServer;
let dataDir: string;
let env: Readonly<Record<string, string>>;

beforeEach(async () => {
  dataDir = await emptyDataDir();
  embeddings = await startEmbeddingServer();
  env = { EMBEDDING_PROVIDER: "ollama", EMBEDDING_BASE_URL: embeddings.url, EMBEDDING_TIMEOUT_MS: "60000" };
});
afterEach(async () => {
  await killProcesses();
  await embeddings.close();
});
afterAll(removeDataDirs);

function lockIsLeft(): boolean {
  return existsSync(path.join(dataDir, "memgate.lock"));
}

/** Tells a starting server to stop: it ends with a code that supervisors take for success, and without a lock. */
async function stopDuringStart(server: MemgateProcess): Promise<void> {
  const { code } = await server.stop();
  expect([0, 143]).toContain(code);
  expect(server.stdout).toBe("");
  expect(server.logs()).toEqual([expect.objectContaining({ msg: "shutting down before the start is complete" })]);
  expect(lockIsLeft()).toBe(false);
}

describe("a server that is told to stop before it listens", () => {
  // PGlite makes a database in one stretch of some 2 s, in which no signal is seen: no limit of time here.
  it("ends while it makes its database, and the next start finishes the work", async () => {
    const server = new MemgateProcess({ dataDir, env });
    await until(async () => await Promise.resolve(lockIsLeft()), 30_000);
    await stopDuringStart(server);
    await startServer({ dataDir, env });
  });

  it("ends while it waits for the embedding provider", async () => {
    embeddings.fail({ kind: "hang" });
    const server = new MemgateProcess({ dataDir, env });
    await until(async () => await Promise.resolve(embeddings.requests.length > 0), 60_000);
    const from = performance.now();
    await stopDuringStart(server);
    expect(performance.now() - from).toBeLessThan(6000);
  });
});
