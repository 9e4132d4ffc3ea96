import { asEndpoint } from "./as-endpoint.js";
import type { EmbeddingRefusal } from "./embedding-error.js";
import { type BatchingOptions, rulesOf } from "./options.js";
import { prepareInput } from "./prepare-input.js";
import type { EmbeddingProvider } from "./provider.js";

/**
 * Whether a run with these options would refuse an input before its first request, and why.
 * @throws EmbeddingError `invalid_options`
 */
export function refusalOf(
  provider: EmbeddingProvider,
  input: string,
  options: BatchingOptions = {},
): EmbeddingRefusal | undefined {
  const endpoint = asEndpoint(provider);
  const rules = rulesOf(endpoint, options);
  const size = endpoint.sizeOf(rules.purpose);
  return prepareInput(input, { ...rules, size, prefix: endpoint.prefixes[rules.purpose] }).refusal;
}
