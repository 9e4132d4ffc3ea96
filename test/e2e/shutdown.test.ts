import { existsSync } from "node:fs";
import { Agent, get } from "node:http";
import { connect, type Socket } from "node:net";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeEach, describe, expect, it, jest } from "@jest/globals";
import { readyDataDir, removeDataDirs } from "../support/data-dir.js";
import { startEmbeddingServer, type EmbeddingServer } from "../support/embedding-server.js";
import { call, killProcesses, startServer, type MemgateProcess } from "../support/server-process.js";
import { until } from "../support/until.js";

jest.setTimeout(90_000);
let embeddings: EmbeddingServer;
let server: MemgateProcess;
let dataDir: string;

/** A server whose embedding provider is ours, so that a request takes as long as we want. */
beforeEach(async () => {
  dataDir = await readyDataDir();
  embeddings = await startEmbeddingServer();
  const env = {
    EMBEDDING_PROVIDER: "ollama",
    EMBEDDING_BASE_URL: embeddings.url,
    EMBEDDING_DIMENSIONS: "64",
    EMBEDDING_TIMEOUT_MS: "60000",
    WRITE_EMBED_WAIT_MS: "60000",
  };
  server = await startServer({ dataDir, env });
});
afterEach(async () => {
  await killProcesses();
  await embeddings.close();
});
afterAll(removeDataDirs);

/** Stores a memory; resolves with the pending reply once the server waits for the vector, which comes after `ms` or never. */
async function slowRequest(ms?: number): Promise<{ reply: ReturnType<typeof call<{ content: string }>> }> {
  const before = embeddings.requests.length;
  embeddings.fail(ms === undefined ? { kind: "hang" } : { kind: "delay", ms });
  const reply = call<{ content: string }>(`${server.url}/v1/memories`, { user_id: "ada", content: "It is slow." });
  reply.catch(() => undefined);
  await until(async () => await Promise.resolve(embeddings.requests.length > before));
  return { reply };
}

/** A connection to the server on which nothing is sent yet. */
async function connection(): Promise<Socket> {
  const { hostname, port } = new URL(server.url);
  return await new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      resolve(socket);
    });
    socket.once("error", reject);
  });
}

async function isRefused(): Promise<boolean> {
  return await connection().then(
    (socket) => {
      socket.destroy();
      return false;
    },
    (error: unknown) => (error as NodeJS.ErrnoException).code === "ECONNREFUSED",
  );
}

function lockIsLeft(): boolean {
  return existsSync(path.join(dataDir, "memgate.lock"));
}

/** Ms from the signal to the end. */
async function timeToStop(): Promise<number> {
  const from = performance.now();
  expect(await server.stop()).toEqual({ code: 0, signal: null });
  return performance.now() - from;
}

describe.each(["SIGTERM", "SIGINT"] as const)("%s", (signal) => {
  it("refuses new connections, lets the request in flight have its whole reply, and exits 0", async () => {
    const { reply } = await slowRequest(1500);
    server.signal(signal);
    await until(isRefused);
    expect(server.exit).toBeUndefined();
    expect(await reply).toEqual({ status: 201, body: expect.objectContaining({ content: "It is slow." }) });
    expect(await server.exited).toEqual({ code: 0, signal: null });
    expect(lockIsLeft()).toBe(false);
  });
});

describe("a server that is told to stop", () => {
  it("waits for a body that still comes in", async () => {
    const socket = await connection();
    const body = JSON.stringify({ user_id: "ada", content: "Sent in two halves." });
    let reply = "";
    socket.setEncoding("utf8").on("data", (text: string) => (reply += text));
    socket.write(
      `POST /v1/memories HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${String(body.length)}\r\n\r\n${body.slice(0, 10)}`,
    );
    // The server has the headers once it asks nothing more of us: the request behind this one has its answer.
    expect((await fetch(`${server.url}/health/live`)).status).toBe(200);
    server.signal("SIGTERM");
    await until(isRefused);
    socket.write(body.slice(10));
    await new Promise((resolve) => socket.once("close", resolve));

    expect(reply).toMatch(/^HTTP\/1\.1 201 Created\r\n/);
    expect(reply).toMatch(/^Connection: close\r$/m);
    expect(JSON.parse(reply.slice(reply.indexOf("\r\n\r\n")))).toMatchObject({ content: "Sent in two halves." });
    expect(await server.exited).toEqual({ code: 0, signal: null });
  });

  it("does not wait for connections that are idle, or that never brought a request", async () => {
    const agent = new Agent({ keepAlive: true });
    const idle = await new Promise<Socket>((resolve) => {
      get(`${server.url}/health/live`, { agent }, (reply) => {
        const { socket } = reply;
        reply.resume().once("end", () => {
          resolve(socket);
        });
      });
    });
    const silent = await connection();
    const half = await connection();
    half.write("GET /health/live HTTP/1.1\r\nHost: loc");
    for (const socket of [silent, half]) socket.on("error", () => undefined);
    await sleep(100);
    expect(idle.destroyed).toBe(false);

    // Node keeps an idle connection for 5 s, and one without a request for 60 s.
    expect(await timeToStop()).toBeLessThan(4000);
    agent.destroy();
  });

  it("does not wait for a client that keeps its connection after the last reply", async () => {
    const { reply } = await slowRequest(500);
    server.signal("SIGTERM");
    expect((await reply).status).toBe(201);
    const from = performance.now();
    expect(await server.exited).toEqual({ code: 0, signal: null });
    // This client would keep the connection for some 4 s.
    expect(performance.now() - from).toBeLessThan(2500);
  });

  it("takes a Ctrl-C that npm passes on a second time for the same one", async () => {
    const { reply } = await slowRequest(1000);
    server.signal("SIGINT");
    server.signal("SIGINT");
    await sleep(50);
    server.signal("SIGINT");
    expect((await reply).status).toBe(201);
    expect(await server.exited).toEqual({ code: 0, signal: null });
  });

  it("stops at once when it is told again, and leaves no lock", async () => {
    const { reply } = await slowRequest();
    server.signal("SIGTERM");
    await until(isRefused);
    await sleep(600);
    const from = performance.now();
    expect(await server.stop("SIGTERM")).toEqual({ code: 143, signal: null });
    expect(performance.now() - from).toBeLessThan(4000);
    await expect(reply).rejects.toThrow();
    expect(lockIsLeft()).toBe(false);
  });
});
