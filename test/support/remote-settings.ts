import type { EmbeddingSettings } from "../../src/embeddings/embedding-settings.js";
import type { EmbeddingServer } from "./embedding-server.js";

/** Settings of a remote provider that asks the test server. */
export function remoteSettings(
  provider: "openai" | "ollama",
  server: EmbeddingServer,
  more: Partial<EmbeddingSettings> = {},
): EmbeddingSettings {
  return {
    provider,
    baseUrl: provider === "openai" ? server.openAiUrl : server.url,
    batchSize: 8,
    timeoutMs: 2000,
    modelDir: "unused",
    ...more,
  };
}
