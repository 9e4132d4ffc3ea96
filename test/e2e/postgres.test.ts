import { readdirSync } from "node:fs";
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from "@jest/globals";
import { emptyDataDir, removeDataDirs } from "../support/data-dir.js";
import { startEmbeddingServer, type EmbeddingServer } from "../support/embedding-server.js";
import { call, killProcesses, runCommand, startServer } from "../support/server-process.js";
import { openTestDatabase, testTarget, type TestDatabase } from "../support/test-database.js";

jest.setTimeout(90_000);

const PASSWORD = "hunter2-e2e";
let database: TestDatabase;
let embeddings: EmbeddingServer;

beforeAll(async () => {
  database = await openTestDatabase();
  embeddings = await startEmbeddingServer();
});
afterEach(killProcesses);
afterAll(async () => {
  await embeddings.close();
  await database.close();
  await removeDataDirs();
});

/** The test server trusts everyone on this machine, so any password opens it. */
function url(): URL {
  if (database.settings.kind !== "postgres") throw new Error("not on Postgres");
  const withPassword = new URL(database.settings.url);
  withPassword.password ||= PASSWORD;
  return withPassword;
}

const onServer = testTarget().kind === "postgres" ? describe : describe.skip;

onServer("with DATABASE_URL", () => {
  it("several servers share the database, keep nothing in the folder and never show the password", async () => {
    const dataDir = await emptyDataDir();
    const env = {
      DATABASE_URL: url().href,
      AUTH_MODE: "none",
      EMBEDDING_PROVIDER: "ollama",
      EMBEDDING_BASE_URL: embeddings.url,
    };
    const [first, second] = await Promise.all([startServer({ dataDir, env }), startServer({ dataDir, env })]);
    const { host, pathname, password } = url();
    expect(first.stdout).toMatch(
      new RegExp(`^Database +PostgreSQL \\d\\S+, pgvector \\d\\S+ at ${host}${pathname}$`, "m"),
    );
    expect(first.stdout).not.toContain("embedded database");

    const memory = { user_id: "ada", content: "The spare key is under the blue pot." };
    expect((await call(`${first.url}/v1/memories`, memory)).status).toBe(201);
    const search = { user_id: "ada", query: "Where is the spare key?" };
    expect(await call(`${second.url}/v1/memories/search`, search)).toMatchObject({ status: 200, body: { count: 1 } });

    const status = await runCommand({ dataDir, env, args: ["status"] });
    expect(status.stdout).toMatch(/^PostgreSQL .*: \d+ migrations applied, 0 pending\.\n$/);
    for (const server of [first, second]) expect(await server.stop()).toEqual({ code: 0, signal: null });
    expect(readdirSync(dataDir)).toEqual(["models"]);
    for (const each of [first, second, status]) expect(each.stdout + each.stderr).not.toContain(password);
  });
});
