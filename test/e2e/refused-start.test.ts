import { writeFileSync } from "node:fs";
import { createServer, type AddressInfo, type Server } from "node:net";
import path from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from "@jest/globals";
import { emptyDataDir, readyDataDir, removeDataDirs } from "../support/data-dir.js";
import { startEmbeddingServer, type EmbeddingServer } from "../support/embedding-server.js";
import { killProcesses, runCommand } from "../support/server-process.js";

jest.setTimeout(90_000);
let dataDir: string;
let embeddings: EmbeddingServer;

beforeAll(async () => {
  dataDir = await readyDataDir();
  embeddings = await startEmbeddingServer();
});
afterEach(killProcesses);
afterAll(async () => {
  await embeddings.close();
  await removeDataDirs();
});

/** What a start that has to fail says. */
async function refusal(env: Record<string, string>, folder = dataDir): Promise<string> {
  const server = await runCommand({ dataDir: folder, env });
  expect({ exit: server.exit, stdout: server.stdout }).toEqual({ exit: { code: 1, signal: null }, stdout: "" });
  expect(server.stderr).not.toMatch(/^\s+at /m);
  return server.stderr;
}

describe("a start with settings that cannot be used", () => {
  it("ends with one line for every variable that is wrong: its name, its value and what is allowed", async () => {
    const said = await refusal({
      SIMILARITY_THRESHOLD: "abc",
      PORT: "99999",
      MIGRATE_ON_START: "yes",
      EMBEDDING_PROVIDER: "magic",
    });
    expect(said.split("\n").sort()).toEqual([
      "",
      'memgate: EMBEDDING_PROVIDER is "magic": allowed is one of embedded, openai, ollama, voyage',
      'memgate: MIGRATE_ON_START is "yes": allowed is true or false',
      'memgate: PORT is "99999": allowed is a whole number from 0 to 65535',
      'memgate: SIMILARITY_THRESHOLD is "abc": allowed is a plain number from 0 to 1, such as 0.3',
    ]);
  });

  it.each(["1.5", "0,5", "-0.1", "3e-1", "NaN"])("refuses SIMILARITY_THRESHOLD=%s", async (value) => {
    expect(await refusal({ SIMILARITY_THRESHOLD: value })).toBe(
      `memgate: SIMILARITY_THRESHOLD is "${value}": allowed is a plain number from 0 to 1, such as 0.3\n`,
    );
  });

  it("never shows a value that may hold a password", async () => {
    const said = await refusal({ DATABASE_URL: "mysql://bob:hunter2@db/x", EMBEDDING_API_KEY: "hunter2 with a space" });
    expect(said).toMatch(/^memgate: DATABASE_URL is \(not shown\): allowed is postgres:/m);
    expect(said).toMatch(/^memgate: EMBEDDING_API_KEY is \(not shown\): allowed is /m);
    expect(said).not.toContain("hunter2");
  });

  it("says that a file is no data folder", async () => {
    const file = path.join(dataDir, "a-file");
    writeFileSync(file, "");
    expect(await refusal({ MEMGATE_DATA_DIR: file })).toMatch(
      new RegExp(`^memgate: ${file} cannot be used as the data folder: EEXIST.*\n$`),
    );
  });
});

describe("a start that meets an obstacle", () => {
  it("says that the port is taken and what to set, and gives the folder back", async () => {
    const { server, port } = await takePort();
    const env = { EMBEDDING_PROVIDER: "ollama", EMBEDDING_BASE_URL: embeddings.url, PORT: port };
    try {
      const said = `memgate: cannot listen on 127.0.0.1, port ${port}: another process has that port; set PORT to a free one\n`;
      expect(await refusal(env)).toBe(said);
      // Not "in use by another process".
      expect(await refusal(env)).toBe(said);
    } finally {
      server.close();
    }
  });

  it.each([
    ["does not listen", "127.0.0.1:1", "connect ECONNREFUSED 127.0.0.1:1"],
    ["has no such name", "nowhere.invalid", "getaddrinfo (ENOTFOUND|EAI_AGAIN) nowhere.invalid"],
  ])("says that the server of DATABASE_URL %s, without its password", async (_what, host, reason) => {
    const said = await refusal({ DATABASE_URL: `postgres://bob:hunter2@${host}/memories` }, await emptyDataDir());
    expect(said).toMatch(new RegExp(`^memgate: the database does not answer \\(${reason}\\): check DATABASE_URL\n$`));
  });

  it("says what the embedding provider lacks", async () => {
    const said = await refusal({ EMBEDDING_PROVIDER: "ollama", EMBEDDING_BASE_URL: "http://127.0.0.1:1" });
    expect(said).toMatch(/^memgate: .*(EMBEDDING_|embedding).*\n$/);
  });
});

async function takePort(): Promise<{ server: Server; port: string }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, port: String((server.address() as AddressInfo).port) };
}
