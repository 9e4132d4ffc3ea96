import path from "node:path";
import type { Logger } from "pino";
import type { Config } from "./config.js";
import { EMBEDDING_PROVIDERS } from "./config.js";
import { createEmbedder, type EmbeddingSettings } from "./embeddings/create-embedder.js";
import type { Embedder } from "./embeddings/embedder.js";
import { PROVIDERS } from "./embeddings/provider-table.js";
import type { EmbedderRequest, OpenEmbedder } from "./services/index.js";

/** The embedder that EMBEDDING_* asks for, as a space writes it down: without its key. */
export function configuredRequest(config: Config): EmbedderRequest {
  return {
    provider: config.EMBEDDING_PROVIDER,
    model: config.EMBEDDING_MODEL ?? null,
    baseUrl: config.EMBEDDING_BASE_URL ?? null,
    settings: {
      ...(config.EMBEDDING_DIMENSIONS === undefined ? {} : { dimensions: config.EMBEDDING_DIMENSIONS }),
      ...(config.EMBEDDING_MAX_CHARS === undefined ? {} : { maxChars: config.EMBEDDING_MAX_CHARS }),
      ...(config.EMBEDDING_DOCUMENT_PREFIX === undefined ? {} : { documentPrefix: config.EMBEDDING_DOCUMENT_PREFIX }),
      ...(config.EMBEDDING_QUERY_PREFIX === undefined ? {} : { queryPrefix: config.EMBEDDING_QUERY_PREFIX }),
    },
  };
}

/** Opens embedders by what a space says, with the keys and limits of this process; `given` are there already. */
export function embedderOpener(config: Config, log: Logger, given: readonly Embedder[] = []): OpenEmbedder {
  return async (request) => {
    const ready = given.find((embedder) => isOf(embedder, request));
    if (ready !== undefined) return ready;
    const { settings } = request;
    const provider = EMBEDDING_PROVIDERS.find((name) => name === request.provider);
    if (provider === undefined) throw new Error(`there is no embedding provider ${request.provider}`);
    return await createEmbedder({
      provider,
      model: request.model ?? undefined,
      baseUrl: request.baseUrl ?? undefined,
      apiKey: apiKeyFor(config, request),
      dimensions: typeof settings.dimensions === "number" ? settings.dimensions : undefined,
      maxChars: typeof settings.maxChars === "number" ? settings.maxChars : undefined,
      documentPrefix: typeof settings.documentPrefix === "string" ? settings.documentPrefix : undefined,
      queryPrefix: typeof settings.queryPrefix === "string" ? settings.queryPrefix : undefined,
      batchSize: config.EMBEDDING_BATCH_SIZE,
      timeoutMs: config.EMBEDDING_TIMEOUT_MS,
      modelDir: path.join(config.MEMGATE_DATA_DIR, "models"),
      runtime: config.EMBEDDING_RUNTIME,
      warn: (message) => {
        log.warn(message);
      },
    } satisfies EmbeddingSettings);
  };
}

/** EMBEDDING_API_KEY goes to the configured address only; another one of the provider gets the provider's own key. */
function apiKeyFor(config: Config, { provider, baseUrl }: EmbedderRequest): string | undefined {
  const same = provider === config.EMBEDDING_PROVIDER && addressOf(provider, baseUrl) === configuredAddress(config);
  if (same && config.EMBEDDING_API_KEY !== undefined) return config.EMBEDDING_API_KEY;
  // A conventional key is meant for the vendor: no other address gets it.
  if (addressOf(provider, baseUrl) !== addressOf(provider, null)) return undefined;
  if (provider === "openai") return config.OPENAI_API_KEY;
  return provider === "voyage" ? config.VOYAGE_API_KEY : undefined;
}

function configuredAddress(config: Config): string {
  return addressOf(config.EMBEDDING_PROVIDER, config.EMBEDDING_BASE_URL ?? null);
}

function addressOf(provider: string, baseUrl: string | null): string {
  const defaults: Readonly<Record<string, { readonly baseUrl: string | undefined } | undefined>> = PROVIDERS;
  return baseUrl ?? defaults[provider]?.baseUrl ?? "";
}

function isOf({ space }: Embedder, { provider, model, identity }: EmbedderRequest): boolean {
  if (space.provider !== provider || space.model !== model) return false;
  return identity === undefined || JSON.stringify(orderly(space)) === JSON.stringify(orderly(identity));
}

function orderly({ provider, model, revision, dimensions, recipe }: Embedder["space"]) {
  return [provider, model, revision, dimensions, recipe];
}
