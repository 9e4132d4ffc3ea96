import { embeddingErrorOf } from "../batching/embedding-error.js";
import { executeEmbeddingBatchesWithRetry } from "../batching/execute-embedding-batches-with-retry.js";
import type { Embedder } from "../embedder.js";
import type { EmbeddingSettings } from "../embedding-settings.js";
import { recipeOf } from "../prefixes.js";
import { ProviderEmbedder } from "../provider-embedder.js";
import type { RemoteProvider } from "../provider-table.js";
import { httpProvider, type HttpProvider } from "./http-provider.js";

/**
 * Connects to a remote model and asks it for one vector, so that its space is known.
 * @throws Error when the model's dimensions differ from those configured, or are unknown because it does not answer.
 */
export async function createRemoteEmbedder(provider: RemoteProvider, settings: EmbeddingSettings): Promise<Embedder> {
  const endpoint = httpProvider(provider, settings);
  const { model, maxChars, prefixes } = endpoint;
  const dimensions = await probeDimensions(endpoint, settings);
  return new ProviderEmbedder(endpoint, {
    space: { provider, model, revision: "", dimensions, recipe: recipeOf(maxChars, prefixes) },
    runtime: endpoint.base,
    batching: {
      batchSize: settings.batchSize,
      timeoutMs: settings.timeoutMs,
      maxRequestBytes: settings.maxRequestBytes,
    },
  });
}

async function probeDimensions(endpoint: HttpProvider, settings: EmbeddingSettings): Promise<number> {
  const configured = settings.dimensions;
  let found: number;
  try {
    const { timeoutMs } = settings;
    const { embedded } = await executeEmbeddingBatchesWithRetry(endpoint, ["dimension probe"], { timeoutMs });
    found = embedded[0]?.vector.length ?? 0;
  } catch (error) {
    const reason = embeddingErrorOf(error)?.detail ?? String(error);
    if (configured === undefined) {
      throw new Error(
        `cannot learn the dimensions of the embedding model: ${reason}. ` +
          `Start the provider ${endpoint.name} or correct its base URL, model and API key, ` +
          "or set the embedding dimensions to start without it.",
        { cause: error },
      );
    }
    settings.warn?.(`starting without the embedding provider: ${reason}`);
    return configured;
  }
  if (configured === undefined || configured === found) return found;
  throw new Error(
    `the embedding model returns ${String(found)} dimensions, but ${String(configured)} are configured: ` +
      "correct the embedding dimensions or the model",
  );
}
