import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { createEmbedder } from "../../../src/embeddings/create-embedder.js";
import { type EmbeddingServer, startEmbeddingServer } from "../../support/embedding-server.js";
import { remoteSettings } from "../../support/remote-settings.js";

let server: EmbeddingServer;

beforeEach(async () => {
  server = await startEmbeddingServer();
});

afterEach(() => server.close());

describe("openai", () => {
  it("sends the model, a plain string for a single text, and the key as a bearer token", async () => {
    const embedder = await createEmbedder(remoteSettings("openai", server, { apiKey: "k1", model: "m" }));
    await embedder.embedQuery("tea");
    expect(server.requests.at(-1)).toMatchObject({
      path: "/v1/embeddings",
      headers: { authorization: "Bearer k1", "content-type": "application/json" },
      body: { model: "m", input: "tea", encoding_format: "float" },
    });
  });

  it("sends a list for several texts, and the dimensions when they are configured", async () => {
    const embedder = await createEmbedder(remoteSettings("openai", server, { dimensions: 32 }));
    const [first] = await embedder.embedDocuments(["tea", "coffee"]);
    expect(first?.vector).toHaveLength(32);
    expect(server.requests.at(-1)?.body).toMatchObject({ input: ["tea", "coffee"], dimensions: 32 });
  });

  it("sends no key, and no dimensions, when there are none", async () => {
    await createEmbedder(remoteSettings("openai", server));
    expect(server.requests[0]?.headers.authorization).toBeUndefined();
    expect(server.requests[0]?.body).not.toHaveProperty("dimensions");
  });

  it("takes credentials in the base URL as basic authorization and shows them nowhere", async () => {
    const baseUrl = server.openAiUrl.replace("http://", "http://me:p%40ss@");
    const embedder = await createEmbedder(remoteSettings("openai", server, { baseUrl }));
    expect(server.requests[0]?.headers.authorization).toBe(`Basic ${btoa("me:p@ss")}`);
    expect(embedder.runtime).toBe(server.openAiUrl);
  });
});

describe("ollama", () => {
  it("asks for texts to be refused rather than cut in silence", async () => {
    const embedder = await createEmbedder(remoteSettings("ollama", server));
    await embedder.embedQuery("tea");
    expect(server.requests.at(-1)).toMatchObject({
      path: "/api/embed",
      body: { model: "nomic-embed-text", input: ["search_query: tea"], truncate: false },
    });
  });
});

describe("voyage", () => {
  it("says whether a text is a document or a query, and asks for it to be refused rather than cut", async () => {
    const embedder = await createEmbedder(remoteSettings("voyage", server, { apiKey: "k1", dimensions: 32 }));
    await embedder.embedQuery("tea");
    const [first] = await embedder.embedDocuments(["tea", "coffee"]);
    expect(first?.vector).toHaveLength(32);
    const [probe, query, documents] = server.requests;
    expect(probe?.body).toMatchObject({ input_type: "document" });
    expect(query).toMatchObject({ path: "/v1/embeddings", headers: { authorization: "Bearer k1" } });
    const rest = { model: "voyage-4", truncation: false, output_dimension: 32 };
    expect(query?.body).toEqual({ ...rest, input: "tea", input_type: "query" });
    expect(documents?.body).toEqual({ ...rest, input: ["tea", "coffee"], input_type: "document" });
  });
});

describe("a prefix", () => {
  it("is written before every text of its purpose, as the settings say", async () => {
    const settings = { documentPrefix: "passage: ", queryPrefix: "query: " };
    const embedder = await createEmbedder(remoteSettings("openai", server, settings));
    await embedder.embedDocuments([" tea ", "coffee"]);
    await embedder.embedQuery("tea");
    expect(server.requests.slice(1).map(({ texts }) => texts)).toEqual([
      ["passage: tea", "passage: coffee"],
      ["query: tea"],
    ]);
  });
});

describe("a remote provider", () => {
  it("gets a long text cut at the limit, which the caller hears", async () => {
    const embedder = await createEmbedder(remoteSettings("ollama", server, { maxChars: 10 }));
    const embedded = await embedder.embedDocuments(["0123456789", "0123456789abc"]);
    expect(embedded[0]?.vector).toEqual(embedded[1]?.vector);
    expect(embedded.map((each) => each.truncated)).toEqual([false, true]);
    expect(server.requests.at(-1)?.texts).toEqual(["search_document: 0123456789"]);
  });

  it("gets documents in batches of the configured size", async () => {
    const embedder = await createEmbedder(remoteSettings("openai", server, { batchSize: 2 }));
    await embedder.embedDocuments(["a", "b", "c", "d", "e"]);
    expect(server.requests.slice(1).map((request) => request.texts)).toEqual([["a", "b"], ["c", "d"], ["e"]]);
  });
});
