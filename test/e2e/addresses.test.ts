import { request } from "node:http";
import { connect, isIPv4 } from "node:net";
import { networkInterfaces } from "node:os";
import { afterAll, beforeAll, describe, expect, it, jest } from "@jest/globals";
import { readyDataDir, removeDataDirs } from "../support/data-dir.js";
import { startEmbeddingServer, type EmbeddingServer } from "../support/embedding-server.js";
import { killProcesses, runCommand, startServer, type MemgateProcess } from "../support/server-process.js";

jest.setTimeout(90_000);

const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
const other = addresses.find(({ internal, address }) => !internal && isIPv4(address))?.address;
const hasIpv6 = addresses.some(({ address }) => address === "::1");

const servers: Partial<Record<"default" | "0.0.0.0" | "::1", MemgateProcess>> = {};
let embeddings: EmbeddingServer;
let env: Readonly<Record<string, string>>;
let openDataDir: string;

async function start(host?: string): Promise<MemgateProcess> {
  const dataDir = await readyDataDir();
  if (host === "0.0.0.0") openDataDir = dataDir;
  return await startServer({ dataDir, env: { ...env, ...(host === undefined ? {} : { HOST: host }) } });
}

beforeAll(async () => {
  embeddings = await startEmbeddingServer();
  env = { EMBEDDING_PROVIDER: "ollama", EMBEDDING_BASE_URL: embeddings.url };
  servers.default = await start();
  servers["0.0.0.0"] = await start("0.0.0.0");
  if (hasIpv6) servers["::1"] = await start("::1");
}, 180_000);
afterAll(async () => {
  await killProcesses();
  await embeddings.close();
  await removeDataDirs();
});

function portOf(server: MemgateProcess): number {
  return Number(new URL(server.url).port);
}

/** Status and code of `/health/live` at the address, asked for under the name `host`. */
async function ask(server: MemgateProcess, address: string, host: string): Promise<{ status: number; code?: string }> {
  return await new Promise((resolve, reject) => {
    const sent = request({ host: address, port: portOf(server), path: "/health/live", headers: { host } }, (reply) => {
      let text = "";
      reply.setEncoding("utf8").on("data", (part: string) => (text += part));
      reply.once("end", () => {
        const { code } = JSON.parse(text) as { code?: string };
        resolve({ status: reply.statusCode ?? 0, ...(code === undefined ? {} : { code }) });
      });
    });
    sent.once("error", reject).end();
  });
}

describe("without HOST", () => {
  (other === undefined ? it.skip : it)("is not reached at another address of this machine", async () => {
    await expect(ask(servers.default!, other!, "localhost")).rejects.toMatchObject({ code: "ECONNREFUSED" });
    expect(servers.default!.logs()).toEqual([]);
  });

  it.each(["localhost", "LOCALHOST:80", "localhost.", "127.0.0.1", "127.8.9.10:3050", "[::1]", "[::1]:3050"])(
    "answers to the name %s",
    async (host) => {
      expect(await ask(servers.default!, "127.0.0.1", host)).toEqual({ status: 200 });
    },
  );

  it.each([
    "evil.example",
    "evil.example:3050",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "evil.example:80@localhost",
    "192.0.2.1",
  ])("421: does not answer to the name %s, which a web page may have lead here", async (host) => {
    expect(await ask(servers.default!, "127.0.0.1", host)).toEqual({ status: 421, code: "forbidden_host" });
  });

  it("answers an HTTP/1.0 request, which has no name", async () => {
    const text = await new Promise<string>((resolve) => {
      let read = "";
      const socket = connect(portOf(servers.default!), "127.0.0.1", () => {
        socket.write("GET /health/live HTTP/1.0\r\n\r\n");
      });
      socket.setEncoding("utf8").on("data", (part: string) => (read += part));
      socket.once("close", () => {
        resolve(read);
      });
    });
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  });
});

describe("with HOST=0.0.0.0", () => {
  (other === undefined ? it.skip : it)(
    "is reached at every address under every name, and asks for the key that it made",
    async () => {
      const server = servers["0.0.0.0"]!;
      expect(await ask(server, other!, "memories.example")).toEqual({ status: 200 });
      expect(await ask(server, "127.0.0.1", "localhost")).toEqual({ status: 200 });
      expect(server.stdout).toMatch(/^FIRST API KEY +mg_\S{43}$/m);
      expect(server.logs()).toEqual([]);
      expect((await fetch(`http://127.0.0.1:${String(portOf(server))}/v1/memories?user_id=ada`)).status).toBe(401);
    },
  );

  it("tells the commands and the person at the screen an address that leads to it", async () => {
    const server = servers["0.0.0.0"]!;
    const local = `http://127.0.0.1:${String(portOf(server))}`;
    expect(server.stdout).toMatch(new RegExp(`^API documentation +${local}/docs$`, "m"));
    const status = await runCommand({ dataDir: openDataDir, env, args: ["status"] });
    expect(status.stdout).toMatch(new RegExp(`^${local} \\(process ${String(server.pid)}\\): \\{"status":"ready"`));
  });
});

(hasIpv6 ? describe : describe.skip)("with HOST=::1", () => {
  it("is reached at that address and under its names alone, and does not warn", async () => {
    const server = servers["::1"]!;
    expect(server.url).toMatch(/^http:\/\/\[::1\]:\d+$/);
    expect(await ask(server, "::1", new URL(server.url).host)).toEqual({ status: 200 });
    expect(await ask(server, "::1", "evil.example")).toMatchObject({ status: 421 });
    await expect(ask(server, "127.0.0.1", "localhost")).rejects.toMatchObject({ code: "ECONNREFUSED" });
    expect(server.logs()).toEqual([]);
  });
});
