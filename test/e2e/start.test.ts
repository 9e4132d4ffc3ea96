import { existsSync } from "node:fs";
import path from "node:path";
import { afterAll, afterEach, describe, expect, it, jest } from "@jest/globals";
import { emptyDataDir, readyDataDir, removeDataDirs } from "../support/data-dir.js";
import { call, killProcesses, startServer, type MemgateProcess } from "../support/server-process.js";
import { until } from "../support/until.js";

jest.setTimeout(90_000);
afterEach(killProcesses);
afterAll(removeDataDirs);

const FACT = { user_id: "ada", content: "Ada's sister Ines is allergic to peanuts." };
const QUESTION = { user_id: "ada", query: "Who is allergic to peanuts?" };

interface Found {
  readonly memories: readonly { readonly content: string }[];
}

async function found(server: MemgateProcess): Promise<string[]> {
  const { body } = await call<Found>(`${server.url}/v1/memories/search`, QUESTION);
  return body.memories.map(({ content }) => content);
}

describe("memgate serve without any setting", () => {
  it("says where it listens and on what, logs JSON, keeps a memory over a restart and finds it again", async () => {
    const dataDir = await emptyDataDir();
    const first = await startServer({ dataDir });

    expect(first.stdout.split("\n")).toEqual([
      expect.stringMatching(/^Memgate listens at {3}http:\/\/127\.0\.0\.1:\d+$/),
      expect.stringMatching(/^Database {13}embedded PostgreSQL \d+\.\d+, pgvector \d+\.\d+\.\d+ in \S+$/),
      expect.stringMatching(/^Embedding space {6}embedded all-MiniLM-L6-v2, 384 dimensions \(.+\)$/),
      expect.stringMatching(/^API keys {13}not asked for/),
      `API documentation    ${first.url}/docs`,
      expect.stringContaining("some 10,000 memories; a power loss may lose the last writes"),
      expect.stringContaining("DATABASE_URL"),
      "",
    ]);
    expect((await call(`${first.url}/v1/memories`, FACT)).status).toBe(201);
    expect(await found(first)).toEqual([FACT.content]);
    expect(await first.stop()).toEqual({ code: 0, signal: null });
    expect(first.logs()).toEqual([
      expect.objectContaining({ msg: "shutting down: requests in flight may finish", signal: "SIGTERM" }),
      expect.objectContaining({ msg: "stopped", time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) }),
    ]);

    const second = await startServer({ dataDir });
    expect(await found(second)).toEqual([FACT.content]);
  });
});

describe("a server that is killed while it writes", () => {
  it("has lost no write that it had acknowledged, and leaves a lock that the next one takes over", async () => {
    const dataDir = await readyDataDir();
    const first = await startServer({ dataDir });
    const acknowledged: string[] = [];
    const writers = ["a", "b", "c", "d"].map(async (name) => {
      for (let count = 0; ; count += 1) {
        const memory = { user_id: "ada", content: `${name} noted ${String(count)}` };
        const { status, body } = await call<{ id: string }>(`${first.url}/v1/memories`, memory);
        if (status === 201) acknowledged.push(body.id);
      }
    });
    await until(async () => await Promise.resolve(acknowledged.length >= 60));
    await first.stop("SIGKILL");
    await Promise.allSettled(writers);
    expect(existsSync(path.join(dataDir, "memgate.lock"))).toBe(true);

    const second = await startServer({ dataDir });
    const ids = acknowledged.slice(-500);
    const { body } = await call<Found>(`${second.url}/v1/memories/get`, { user_id: "ada", ids });
    expect(body.memories).toHaveLength(ids.length);
  });
});
