import type { Embedder } from "../embedder.js";
import type { EmbeddingSettings } from "../embedding-settings.js";
import { ProviderEmbedder } from "../provider-embedder.js";
import { EmbeddedModel } from "./embedded-model.js";
import { MODEL_DIMENSIONS, MODEL_NAME, WEIGHTS_SHA256 } from "./model-package.js";

/** How a text becomes one vector: windows of 256 tokens, their mean by tokens, at most 32 of them. */
const RECIPE = "windows_mean_v1";

/**
 * Starts the embedded model and embeds one text with it.
 * @throws Error when another model or other dimensions are configured, or when the model cannot be loaded.
 */
export async function createEmbeddedEmbedder(settings: EmbeddingSettings): Promise<Embedder> {
  refuseOtherModel(settings);
  refusePrefixes(settings);
  const model = new EmbeddedModel({
    workerUrl: settings.workerUrl ?? new URL("./worker.js", import.meta.url),
    runtime: settings.runtime ?? "auto",
    modelDir: settings.modelDir,
    warn: settings.warn ?? (() => undefined),
  });
  try {
    await model.start();
    const embedder = new ProviderEmbedder(model, {
      space: {
        provider: "embedded",
        model: MODEL_NAME,
        revision: WEIGHTS_SHA256.slice(0, 12),
        dimensions: MODEL_DIMENSIONS,
        recipe: RECIPE,
      },
      runtime: model.runtime,
      // What the model cannot do it will not do a moment later, and nobody else makes it slow.
      batching: { batchSize: settings.batchSize, timeoutMs: null, retries: 0 },
      release: () => model.close(),
    });
    await embedder.embedQuery("dimension probe");
    return embedder;
  } catch (error) {
    await model.close();
    throw error;
  }
}

function refusePrefixes({ documentPrefix, queryPrefix }: EmbeddingSettings): void {
  if (documentPrefix === undefined && queryPrefix === undefined) return;
  throw new Error(`the embedded model ${MODEL_NAME} takes no prefixes, but one is configured`);
}

function refuseOtherModel({ model, dimensions }: EmbeddingSettings): void {
  if (model !== undefined && model !== MODEL_NAME) {
    throw new Error(`the embedded provider has the model ${MODEL_NAME} only, but ${model} is configured`);
  }
  if (dimensions === undefined || dimensions === MODEL_DIMENSIONS) return;
  throw new Error(
    `the embedding model returns ${String(MODEL_DIMENSIONS)} dimensions, but ${String(dimensions)} are configured: ` +
      "correct the embedding dimensions or the model",
  );
}
