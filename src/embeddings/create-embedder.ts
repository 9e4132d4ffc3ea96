import type { Embedder } from "./embedder.js";
import { createEmbeddedEmbedder } from "./embedded/create-embedded-embedder.js";
import type { EmbeddingSettings } from "./embedding-settings.js";
import { createRemoteEmbedder } from "./remote/create-remote-embedder.js";

export type { EmbeddingSettings } from "./embedding-settings.js";

/**
 * Makes the embedder that the settings describe, after one probe text has shown its dimensions.
 *
 * A remote provider that does not answer the probe is no obstacle when `settings.dimensions` is set: the space is then
 * known, `settings.warn` hears of it, and calls fail with `embedding_unavailable` until the provider is back.
 * @throws Error naming both numbers when the dimensions differ from those configured, or naming what to set when
 *   they cannot be learnt; Error when the embedded model cannot be loaded.
 */
export function createEmbedder(settings: EmbeddingSettings): Promise<Embedder> {
  if (settings.provider === "embedded") return createEmbeddedEmbedder(settings);
  return createRemoteEmbedder(settings.provider, settings);
}
