import { afterAll, beforeAll } from "@jest/globals";
import { createEmbedder } from "../../../src/embeddings/create-embedder.js";
import { type EmbeddingServer, startEmbeddingServer } from "../../support/embedding-server.js";
import { remoteSettings } from "../../support/remote-settings.js";
import { describeEmbedder } from "../embedder-contract.js";

let server: EmbeddingServer;

beforeAll(async () => {
  server = await startEmbeddingServer({ dimensions: 256 });
});

afterAll(() => server.close());

describeEmbedder({ name: "openai", create: () => createEmbedder(remoteSettings("openai", server)) });
describeEmbedder({ name: "voyage", create: () => createEmbedder(remoteSettings("voyage", server)) });
describeEmbedder({
  name: "ollama",
  create: () => createEmbedder(remoteSettings("ollama", server, { model: "words" })),
});
