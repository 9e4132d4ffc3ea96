import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { startEmbeddingServer, type EmbeddingServer } from "../support/embedding-server.js";
import { memgate, serveMemgate, type Finished, type Server } from "../support/memgate.js";

const KEY = /^mg_[A-Za-z0-9_-]{43}\n$/;
const FIRST_KEY = /^FIRST API KEY +(mg_[A-Za-z0-9_-]{43})$/m;

let embeddings: EmbeddingServer;
let folder: string;
let env: Record<string, string>;

beforeAll(async () => {
  embeddings = await startEmbeddingServer();
});

afterAll(async () => {
  await embeddings.close();
});

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "memgate-keys-"));
  env = {
    MEMGATE_DATA_DIR: path.join(folder, "data"),
    EMBEDDING_PROVIDER: "openai",
    EMBEDDING_MODEL: "words",
    EMBEDDING_BASE_URL: embeddings.openAiUrl,
    LOG_LEVEL: "trace",
  };
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function keys(more: Record<string, string>, ...args: string[]): Promise<Finished> {
  return await memgate(folder, { ...env, ...more }, "keys", ...args);
}

async function whoAmI(server: Server, key?: string): Promise<{ status: number; body: unknown }> {
  const headers = key === undefined ? {} : { "X-API-Key": key };
  const reply = await fetch(`${server.url}/v1/whoami`, { headers });
  return { status: reply.status, body: await reply.json() };
}

/** The id of the key with this name, out of the list. */
function idOf(name: string, listed: Finished): string {
  return listed.stdout
    .split("\n")
    .find((line) => line.includes(JSON.stringify(name)))!
    .split(" ")[0]!;
}

const CREATE = ["create", "--name", "app", "--capability", "memory_read", "memory_write"];

describe("memgate serve with AUTH_MODE=keys", () => {
  it("prints a first key once, which makes others on the running server; all go on with the stopped one", async () => {
    const keyed = { ...env, AUTH_MODE: "keys" };
    const server = await serveMemgate(folder, keyed);
    const first = FIRST_KEY.exec(server.output())![1]!;
    const admin = { MEMGATE_API_KEY: first };
    try {
      expect(await whoAmI(server)).toMatchObject({ status: 401 });
      expect(await whoAmI(server, first)).toMatchObject({ status: 200, body: { tenant: "default", grants: {} } });

      const refused = await keys({}, ...CREATE);
      expect(refused).toMatchObject({ code: 1, stdout: "" });
      expect(refused.stderr).toContain("unauthenticated");
      expect(refused.stderr).toContain("MEMGATE_API_KEY");

      const made = await keys(admin, ...CREATE, "--project", "p", "--without-project", "--user", "u", "v");
      expect(made.stdout).toMatch(KEY);
      const key = made.stdout.trim();
      expect(await whoAmI(server, key)).toMatchObject({
        status: 200,
        body: {
          capabilities: ["memory_read", "memory_write"],
          grants: { projects: [null, "p"], user_ids: ["u", "v"] },
        },
      });
      const forbidden = await keys({ MEMGATE_API_KEY: key }, "list");
      expect(forbidden).toMatchObject({ code: 1, stdout: "" });
      expect(forbidden.stderr).toContain("forbidden: this key lacks admin");

      const listed = await keys(admin, "list");
      expect(listed.stdout.trim().split("\n")).toHaveLength(2);
      expect(listed.stdout).not.toContain("mg_");
      expect((await keys(admin, "revoke", idOf("app", listed))).stdout).toMatch(/^Revoked key /);
      expect(await whoAmI(server, key)).toMatchObject({ status: 401 });
    } finally {
      await server.stop();
    }
    expect(server.output().split(first)).toHaveLength(2);

    const listed = await keys({}, "list");
    expect(listed.stdout).toMatch(/active since .*"first key".*admin/);
    expect(listed.stdout).toMatch(/revoked at .*"app"/);
    const again = await serveMemgate(folder, keyed);
    try {
      expect(again.output()).not.toMatch(FIRST_KEY);
      expect(await whoAmI(again, first)).toMatchObject({ status: 200 });
    } finally {
      await again.stop();
    }
    expect(again.output()).not.toContain(first.slice(3));
  }, 120_000);

  it("makes no first key where keys were made before it ever ran", async () => {
    const made = await keys({}, "create", "--name", "ops", "--capability", "admin", "--agent", "a");
    expect(made).toMatchObject({ code: 0 });
    expect(made.stdout).toMatch(KEY);
    const revoked = await keys({}, "revoke", "00000000-0000-7000-8000-000000000000");
    expect(revoked).toMatchObject({ code: 1, stdout: "" });
    expect(revoked.stderr).toContain("no such key");
    const server = await serveMemgate(folder, { ...env, AUTH_MODE: "keys" });
    try {
      expect(server.output()).not.toMatch(FIRST_KEY);
      expect(await whoAmI(server, made.stdout.trim())).toMatchObject({
        status: 200,
        body: { grants: { agents: ["a"] } },
      });
    } finally {
      await server.stop();
    }
  }, 120_000);
});

describe("memgate serve on loopback with the embedded database", () => {
  it("asks for no key by default, and keys are managed without one", async () => {
    const server = await serveMemgate(folder, env);
    try {
      expect(server.output()).toMatch(/^API keys +not asked for/m);
      expect(server.output()).not.toMatch(FIRST_KEY);
      expect(await whoAmI(server)).toMatchObject({ status: 200, body: { actor: "local", tenant: "default" } });
      expect((await keys({}, ...CREATE)).stdout).toMatch(KEY);
      expect((await keys({}, "list")).stdout).toContain('"app"');
    } finally {
      await server.stop();
    }
  }, 60_000);
});

describe("memgate serve beyond loopback", () => {
  it("refuses AUTH_MODE=none before it opens anything", async () => {
    const ended = await memgate(folder, { ...env, HOST: "0.0.0.0", AUTH_MODE: "none" }, "serve");
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expect(ended.stderr).toContain("refuses to listen on another address than loopback without keys");
  });
});

describe("memgate keys create", () => {
  it("names what is wrong with its options before it opens anything", async () => {
    const ended = await keys({}, "create", "--name", " ", "--capability", "root");
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expect(ended.stderr).toContain("name: must not be blank");
    expect(ended.stderr).toContain("capabilities[0]");
  });
});
