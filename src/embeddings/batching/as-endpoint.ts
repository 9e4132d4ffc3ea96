import type { EmbeddingEndpoint, EmbeddingProvider } from "./provider.js";
import { jsonRequestSize } from "./request-size.js";

const NO_PREFIXES = { document: "", query: "" } as const;

/** Whether somebody brought this provider: then nothing is known of its requests, and there is no receipt of them. */
export function isCustom(provider: EmbeddingProvider): boolean {
  return "embed" in provider;
}

/** A provider as the pipeline sees it; what a custom one will send is counted as `{"model":…,"input":[…]}`. */
export function asEndpoint(provider: EmbeddingProvider): EmbeddingEndpoint {
  if (!("embed" in provider)) return provider;
  const {
    name = "custom",
    model = "",
    maxItems = Number.MAX_SAFE_INTEGER,
    maxChars,
    prefixes = NO_PREFIXES,
  } = provider;
  const size = jsonRequestSize((texts) => JSON.stringify({ model, input: texts }));
  return {
    ...{ name, model, maxItems, maxChars, prefixes },
    sizeOf: () => size,
    send: async (texts, context) => ({ vectors: await provider.embed(texts, context) }),
  };
}
