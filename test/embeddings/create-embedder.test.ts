import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { createEmbedder } from "../../src/embeddings/create-embedder.js";
import { embeddedSettings } from "../support/embedded-settings.js";
import { type EmbeddingServer, startEmbeddingServer } from "../support/embedding-server.js";
import { remoteSettings } from "../support/remote-settings.js";

let server: EmbeddingServer;

beforeEach(async () => {
  server = await startEmbeddingServer({ dimensions: 48 });
});

afterEach(() => server.close());

describe("createEmbedder", () => {
  it("learns the dimensions of a remote model from one text", async () => {
    const embedder = await createEmbedder(remoteSettings("ollama", server, { model: "some-model" }));
    expect(embedder.space).toEqual({
      provider: "ollama",
      model: "some-model",
      revision: "",
      dimensions: 48,
      recipe: "head_3200_v2",
    });
    expect(server.requests).toHaveLength(1);
  });

  it("makes another space of another cut", async () => {
    const embedder = await createEmbedder(remoteSettings("openai", server, { maxChars: 500 }));
    expect(embedder.space).toMatchObject({ model: "text-embedding-3-small", recipe: "head_500_v2" });
  });

  it("makes another space of other prefixes", async () => {
    const known = await createEmbedder(remoteSettings("ollama", server));
    const other = await createEmbedder(remoteSettings("ollama", server, { queryPrefix: "Q: " }));
    const none = await createEmbedder(
      remoteSettings("ollama", server, { documentPrefix: "none", queryPrefix: "none" }),
    );
    const recipes = [known, other, none].map(({ space }) => space.recipe);
    expect(recipes[0]).toMatch(/^head_3200_v2_prefix_[0-9a-f]{8}$/);
    expect(recipes[2]).toBe("head_3200_v2");
    expect(new Set(recipes).size).toBe(3);
  });

  it("rejects prefixes for the embedded model, which takes none", async () => {
    await expect(createEmbedder(embeddedSettings({ queryPrefix: "query: " }))).rejects.toThrow(/takes no prefixes/);
  });

  it("rejects dimensions that a remote model does not have, naming both numbers", async () => {
    const starting = createEmbedder(remoteSettings("ollama", server, { dimensions: 768 }));
    await expect(starting).rejects.toThrow(/returns 48 dimensions, but 768 are configured/);
  });

  it("rejects dimensions that the embedded model does not have, naming both numbers", async () => {
    const starting = createEmbedder(embeddedSettings({ dimensions: 768 }));
    await expect(starting).rejects.toThrow(/returns 384 dimensions, but 768 are configured/);
  });

  it("rejects a model that is not embedded", async () => {
    await expect(createEmbedder(embeddedSettings({ model: "other" }))).rejects.toThrow(/all-MiniLM-L6-v2 only/);
  });

  it("starts without a provider whose dimensions are configured, and says so", async () => {
    server.fail({ kind: "status", status: 401 });
    const warnings: string[] = [];
    const warn = (message: string): void => void warnings.push(message);
    const embedder = await createEmbedder(remoteSettings("ollama", server, { dimensions: 48, warn }));
    expect(embedder.space.dimensions).toBe(48);
    expect(warnings).toEqual([expect.stringContaining("ollama answered 401")]);
    expect(await embedder.embedQuery("it is back")).toHaveLength(48);
  });

  it("says what to set when a provider is down and its dimensions are unknown", async () => {
    await server.close();
    const starting = createEmbedder(remoteSettings("openai", server));
    await expect(starting).rejects.toThrow(/openai could not be reached.*set the embedding dimensions/);
  });

  it("rejects an API key that no header can carry without quoting it", async () => {
    const settings = remoteSettings("openai", server, { apiKey: "secret\nkey" });
    await expect(createEmbedder(settings)).rejects.toThrow(/^(?!.*secret).*API key/);
  });

  it("rejects a base URL that is none without quoting it", async () => {
    const settings = remoteSettings("openai", server, { baseUrl: "user:secret@host" });
    await expect(createEmbedder(settings)).rejects.toThrow(/^(?!.*secret).*not an http/);
  });
});
