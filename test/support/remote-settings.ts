import type { EmbeddingSettings } from "../../src/embeddings/embedding-settings.js";
import type { RemoteProvider } from "../../src/embeddings/provider-table.js";
import type { EmbeddingServer } from "./embedding-server.js";

/** Settings of a remote provider that asks the test server. */
export function remoteSettings(
  provider: RemoteProvider,
  server: EmbeddingServer,
  more: Partial<EmbeddingSettings> = {},
): EmbeddingSettings {
  return {
    provider,
    baseUrl: provider === "ollama" ? server.url : server.openAiUrl,
    batchSize: 8,
    timeoutMs: 2000,
    modelDir: "unused",
    ...more,
  };
}
