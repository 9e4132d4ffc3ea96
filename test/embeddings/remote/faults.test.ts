import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { createEmbedder } from "../../../src/embeddings/create-embedder.js";
import type { Embedder } from "../../../src/embeddings/embedder.js";
import { type EmbeddingServer, type Fault, startEmbeddingServer } from "../../support/embedding-server.js";
import { cosine } from "../../support/cosine.js";
import { remoteSettings } from "../../support/remote-settings.js";

const SECRET = "sk-very-secret";
const TEXT = "my private diary";

let server: EmbeddingServer;
let embedder: Embedder;

beforeEach(async () => {
  server = await startEmbeddingServer({ apiKey: SECRET, maxChars: 1000 });
  embedder = await createEmbedder(remoteSettings("openai", server, { apiKey: SECRET, timeoutMs: 300 }));
  server.requests.length = 0;
});

afterEach(async () => {
  await embedder.close();
  await server.close();
});

const status = (code: number): Fault => ({ kind: "status", status: code });

describe("a failure that may pass", () => {
  it.each([
    ["429", status(429)],
    ["408", status(408)],
    ["409", status(409)],
    ["425", status(425)],
    ["500", status(500)],
    ["503", status(503)],
    ["a reset in the middle of the reply", { kind: "reset" }],
    ["no answer in time", { kind: "hang" }],
  ] satisfies [string, Fault][])("is tried again: %s", async (_, fault) => {
    server.fail(fault);
    expect(await embedder.embedQuery(TEXT)).toHaveLength(64);
    expect(server.requests).toHaveLength(2);
  });

  it("is final after the third attempt, and the error tells status and provider only", async () => {
    server.fail(status(503), status(503), status(503), status(503));
    const error: unknown = await embedder.embedQuery(TEXT).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "embedding_unavailable", detail: "openai answered 503" });
    expect(String(error)).not.toMatch(/secret|diary|127\.0\.0\.1/);
    expect(server.requests).toHaveLength(3);
  });

  it("is final when the server asks for a pause that nobody would wait for", async () => {
    server.fail({ kind: "status", status: 429, retryAfter: "3600" });
    await expect(embedder.embedQuery(TEXT)).rejects.toMatchObject({ detail: "openai answered 429" });
    expect(server.requests).toHaveLength(1);
  });
});

describe("a failure that stays", () => {
  it.each([400, 401, 403, 404])("is not tried again: %i", async (code) => {
    server.fail(status(code));
    const error: unknown = await embedder.embedQuery(TEXT).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "embedding_unavailable" });
    expect(String(error)).toContain(`openai answered ${String(code)}`);
    expect(String(error)).not.toMatch(/very-secret|diary/);
    expect(server.requests).toHaveLength(1);
  });

  it("surfaces when the server refuses a text for its length", async () => {
    const refused = embedder.embedDocuments(["word ".repeat(300)]);
    await expect(refused).rejects.toMatchObject({ detail: expect.stringMatching(/400.*longer than the model takes/) });
  });
});

describe("a reply that cannot be right", () => {
  it.each([
    ["a vector is missing", { kind: "short_reply" }, /returned 1 vectors for 2 texts/],
    ["a number is NaN", { kind: "nan" }, /not a finite number/],
    ["a number is infinite", { kind: "infinity" }, /not a finite number/],
    ["a vector is zero", { kind: "zero_vector" }, /unusable norm/],
    ["the dimensions changed", { kind: "dimensions", dimensions: 65 }, /65 dimensions instead of 64/],
    ["an index is there twice", { kind: "repeated_index" }, /index is not 0 to n-1/],
    ["it is not JSON", { kind: "not_json" }, /not JSON/],
  ] satisfies [string, Fault, RegExp][])("fails at once: %s", async (_, fault, message) => {
    server.fail(fault);
    const embedding = embedder.embedDocuments(["tea", "coffee"]);
    await expect(embedding).rejects.toMatchObject({
      code: "embedding_unavailable",
      detail: expect.stringMatching(message),
    });
    expect(server.requests).toHaveLength(1);
  });

  it("may come in any order, as long as each entry says which text it is for", async () => {
    const [tea] = await embedder.embedDocuments(["tea", "coffee"]);
    server.fail({ kind: "reordered" });
    const [again] = await embedder.embedDocuments(["tea", "coffee"]);
    expect(cosine(tea?.vector ?? new Float32Array(), again?.vector)).toBeCloseTo(1, 6);
  });
});

describe("a caller who gives up", () => {
  it("does not wait for a server that hangs", async () => {
    server.fail({ kind: "hang" });
    await expect(embedder.embedQuery(TEXT, { signal: AbortSignal.timeout(50) })).rejects.toMatchObject({
      name: "TimeoutError",
    });
    expect(server.requests).toHaveLength(1);
  });

  it("does not wait for the pause before a retry", async () => {
    server.fail({ kind: "status", status: 429, retryAfter: "5" });
    const caller = new AbortController();
    setTimeout(() => {
      caller.abort("gave up");
    }, 100);
    const start = performance.now();
    await expect(embedder.embedQuery(TEXT, { signal: caller.signal })).rejects.toBe("gave up");
    expect(performance.now() - start).toBeLessThan(1000);
  });
});
