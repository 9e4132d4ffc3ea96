import { tmpdir } from "node:os";
import path from "node:path";
import type { EmbeddingSettings } from "../../src/embeddings/embedding-settings.js";

/** Settings of the embedded model for tests: the compiled worker, and one cache folder so that it is generated once. */
export function embeddedSettings(more: Partial<EmbeddingSettings> = {}): EmbeddingSettings {
  return {
    provider: "embedded",
    batchSize: 32,
    timeoutMs: 5000,
    modelDir: path.join(tmpdir(), "memgate-test-models"),
    workerUrl: new URL("../../dist/embeddings/embedded/worker.js", import.meta.url),
    ...more,
  };
}
