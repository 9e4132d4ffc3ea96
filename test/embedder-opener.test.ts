import { expect, it } from "@jest/globals";
import { pino } from "pino";
import { loadConfig } from "../src/config.js";
import { configuredRequest, embedderOpener } from "../src/embedder-opener.js";
import { startEmbeddingServer } from "./support/embedding-server.js";

it("an embedder is opened by what its space says, prefixes included, whatever is configured by then", async () => {
  const server = await startEmbeddingServer();
  const settings = { EMBEDDING_PROVIDER: "openai", EMBEDDING_BASE_URL: server.openAiUrl, EMBEDDING_MODEL: "words" };
  const prefixes = { EMBEDDING_DOCUMENT_PREFIX: "d: ", EMBEDDING_QUERY_PREFIX: "q: " };
  const request = configuredRequest(loadConfig({ ...settings, ...prefixes, EMBEDDING_MAX_CHARS: "500" }));
  const open = embedderOpener(loadConfig({}), pino({ level: "silent" }));
  const embedder = await open(request);
  await embedder.embedQuery("tea");
  expect(server.requests.map(({ texts }) => texts)).toEqual([["d: dimension probe"], ["q: tea"]]);
  expect(embedder.space.recipe).toMatch(/^head_500_v2_prefix_[0-9a-f]{8}$/);
  await embedder.close();
  await server.close();
});
