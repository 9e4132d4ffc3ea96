import type { EmbeddingEndpoint, Purpose } from "../batching/provider.js";
import { jsonRequestSize } from "../batching/request-size.js";
import type { EmbeddingSettings } from "../embedding-settings.js";
import { prefixesOf } from "../prefixes.js";
import { maxItemsAt, PROVIDERS, type RemoteProvider } from "../provider-table.js";
import { endpointFor } from "./endpoint.js";
import { ollamaFormat } from "./ollama-format.js";
import { openAiFormat } from "./openai-format.js";
import { postJson } from "./post-json.js";
import { voyageFormat } from "./voyage-format.js";
import type { WireFormat } from "./wire-format.js";

type HttpSettings = Pick<
  EmbeddingSettings,
  "model" | "baseUrl" | "apiKey" | "dimensions" | "maxChars" | "documentPrefix" | "queryPrefix"
>;

/** A model behind HTTP. */
export interface HttpProvider extends EmbeddingEndpoint {
  /** UTF-16 units of a text beyond which it is cut. */
  readonly maxChars: number;
  /** Base URL without credentials, for the log. */
  readonly base: string;
}

/**
 * The model that the settings name, at the address that they name. Nothing is sent yet.
 * @throws Error, without quoting either, when the base URL or the key cannot be used.
 */
export function httpProvider(name: RemoteProvider, settings: HttpSettings): HttpProvider {
  const model = settings.model ?? PROVIDERS[name].model;
  const format = FORMATS[name]({ model, dimensions: settings.dimensions });
  const endpoint = endpointFor(name, format.path, settings);
  const write = (texts: readonly string[], purpose: Purpose): string =>
    JSON.stringify(format.writeRequest(texts, purpose));
  return {
    ...{ name, model, base: endpoint.base },
    maxItems: maxItemsAt(name, endpoint.url),
    maxChars: settings.maxChars ?? PROVIDERS[name].maxChars,
    prefixes: prefixesOf(model, { document: settings.documentPrefix, query: settings.queryPrefix }),
    sizeOf: (purpose) => jsonRequestSize((texts) => write(texts, purpose)),
    send: async (texts, { purpose, signal }) => {
      const { readRefusal } = format;
      const reply = await postJson(endpoint, { body: write(texts, purpose), signal, readRefusal });
      return { vectors: format.readReply(reply) };
    },
  };
}

interface ModelOptions {
  readonly model: string;
  readonly dimensions: number | undefined;
}

const FORMATS: Readonly<Record<RemoteProvider, (options: ModelOptions) => WireFormat>> = {
  openai: openAiFormat,
  ollama: ({ model }) => ollamaFormat(model),
  voyage: voyageFormat,
};
