import { MemgateError } from "../../core/errors.js";
import type { Embedder } from "../embedder.js";
import type { EmbeddingSettings } from "../embedding-settings.js";
import { PROVIDER_DEFAULTS } from "../provider-defaults.js";
import { endpointFor, type RemoteProvider } from "./endpoint.js";
import { ollamaFormat } from "./ollama-format.js";
import { openAiFormat } from "./openai-format.js";
import { RemoteClient } from "./remote-client.js";
import { RemoteEmbedder } from "./remote-embedder.js";

/**
 * Connects to a remote model and asks it for one vector, so that its space is known.
 * @throws Error when the model's dimensions differ from those configured, or are unknown because it does not answer.
 */
export async function createRemoteEmbedder(provider: RemoteProvider, settings: EmbeddingSettings): Promise<Embedder> {
  const defaults = PROVIDER_DEFAULTS[provider];
  const model = settings.model ?? defaults.model;
  const maxChars = settings.maxChars ?? defaults.maxChars;
  const format = provider === "openai" ? openAiFormat({ model, dimensions: settings.dimensions }) : ollamaFormat(model);
  const client = new RemoteClient(endpointFor(provider, format.path, settings), format);
  const dimensions = await probeDimensions(client, settings);
  return new RemoteEmbedder(client, {
    space: { provider, model, revision: "", dimensions, recipe: `head_${String(maxChars)}_v1` },
    batchSize: settings.batchSize,
    maxChars,
  });
}

async function probeDimensions(client: RemoteClient, settings: EmbeddingSettings): Promise<number> {
  const configured = settings.dimensions;
  const { provider } = client.endpoint;
  let found: number;
  try {
    const [vector] = await client.request(["dimension probe"], { dimensions: undefined });
    found = vector?.length ?? 0;
  } catch (error) {
    const reason = error instanceof MemgateError ? error.detail : String(error);
    if (configured === undefined) {
      throw new Error(
        `cannot learn the dimensions of the embedding model: ${reason}. ` +
          `Start the provider ${provider} or correct its base URL, model and API key, ` +
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
