import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { startEmbeddingServer, type EmbeddingServer } from "../support/embedding-server.js";
import { checkWriters } from "../support/keyed-writers-check.js";
import { KeyedWriters } from "../support/keyed-writers.js";
import { memgate, serveMemgate, type Env, type Server } from "../support/memgate.js";
import { createOwnPostgres, hasOwnPostgres } from "../support/own-postgres.js";
import { killNow } from "../support/processes.js";
import { openTestDatabase, testTarget } from "../support/test-database.js";

let folder: string;
let embeddings: EmbeddingServer;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "memgate-kill-"));
  embeddings = await startEmbeddingServer({ dimensions: 16 });
});

afterAll(async () => {
  await embeddings.close();
  rmSync(folder, { recursive: true, force: true });
});

function environment(database: Env): Env {
  return {
    AUTH_MODE: "none",
    LOG_LEVEL: "silent",
    EMBEDDING_PROVIDER: "openai",
    EMBEDDING_BASE_URL: embeddings.openAiUrl,
    EMBEDDING_MODEL: "words",
    EMBEDDING_DIMENSIONS: "16",
    MEMGATE_DATA_DIR: path.join(folder, "data"),
    ...database,
  };
}

async function expectAgreement(env: Env): Promise<void> {
  const { code, stdout, stderr } = await memgate(folder, env, "verify");
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "Everything agrees.\n", stderr: "" });
}

/** Waits until so many commands were answered; throws when that takes 20 s. */
async function untilAnswered(writers: KeyedWriters, count: number): Promise<void> {
  const deadline = performance.now() + 20_000;
  while (writers.answered < count) {
    if (performance.now() > deadline) throw new Error(`${String(writers.answered)} of ${String(count)} were answered`);
    await sleep(5);
  }
}

/** Kills the server under its writers, as often as told, and looks at what is left each time. */
async function killServer(env: Env, times: number): Promise<void> {
  const rounds: KeyedWriters[] = [];
  const startAndCheck = async (): Promise<Server> => {
    const server = await serveMemgate(folder, env);
    const last = rounds.at(-1);
    try {
      if (last !== undefined) await checkWriters(server.url, last);
      return server;
    } catch (error) {
      await killNow([server.pid]);
      throw error;
    }
  };
  for (let round = 0; round < times; round++) {
    const server = await startAndCheck();
    const writers = new KeyedWriters();
    rounds.push(writers);
    const writing = writers.write(server.url, new AbortController().signal, { persistent: false });
    try {
      await untilAnswered(writers, 40 + 17 * round);
    } finally {
      await killNow([server.pid]);
      await writing;
    }
    expect(writers.sent.length).toBeGreaterThan(writers.answered);
    await expectAgreement(env);
  }
  const server = await startAndCheck();
  await server.stop();
  await expectAgreement(env);
}

describe("a server that is killed under 8 writers", () => {
  it("has lost no answered write and done no other one by half, on the embedded database", async () => {
    await killServer(environment({}), 1);
  }, 60_000);

  it("has lost no answered write and done no other one by half, on Postgres", async () => {
    if (testTarget().kind !== "postgres") return;
    const database = await openTestDatabase();
    try {
      const url = database.settings.kind === "postgres" ? database.settings.url : "";
      await killServer(environment({ DATABASE_URL: url }), 3);
    } finally {
      await database.close();
    }
  }, 60_000);
});

describe("a Postgres that is killed under 8 writers", () => {
  const withOwnPostgres = testTarget().kind === "postgres" && hasOwnPostgres() ? it : it.skip;

  withOwnPostgres(
    "comes back with every answered write, to a server that went on",
    async () => {
      const postgres = await createOwnPostgres();
      const stop = new AbortController();
      let server: Server | undefined;
      try {
        await postgres.start();
        const env = environment({ DATABASE_URL: postgres.url });
        server = await serveMemgate(folder, env);
        const { url } = server;
        const writers = new KeyedWriters();
        const writing = writers.write(url, stop.signal, { persistent: true });
        await untilAnswered(writers, 40);
        await postgres.kill();
        expect((await fetch(`${url}/health/ready`)).status).toBe(503);
        await postgres.start();
        await untilAnswered(writers, writers.answered + 40);
        stop.abort();
        await writing;
        await checkWriters(url, writers);
        await server.stop();
        await expectAgreement(env);
      } finally {
        stop.abort();
        if (server !== undefined) await killNow([server.pid]);
        await postgres.remove();
      }
    },
    60_000,
  );
});
