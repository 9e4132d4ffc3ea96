import { memberOf, ProviderFailure } from "../batching/provider-failure.js";
import { readVendorCode } from "./vendor-codes.js";
import type { WireFormat } from "./wire-format.js";

/** Ollama has no codes: these are the whole `error` of a text that is longer than the model takes, by version. */
const CONTEXT_ERRORS: ReadonlySet<unknown> = new Set([
  "the input length exceeds the context length",
  "input length exceeds the context length",
  "input length exceeds maximum context length",
]);

/** `POST {base}/api/embed` of an Ollama server. */
export function ollamaFormat(model: string): WireFormat {
  return {
    path: "api/embed",
    // Left to its default, the server cuts what is beyond the model's window and does not say so.
    writeRequest: (texts) => ({ model, input: texts, truncate: false }),
    readReply(reply) {
      const embeddings = memberOf(reply, "embeddings");
      if (!Array.isArray(embeddings)) throw new ProviderFailure("bad_reply", "ollama answered without embeddings");
      return embeddings as unknown[];
    },
    readRefusal: (body) => (CONTEXT_ERRORS.has(memberOf(body, "error")) ? "context_too_long" : readVendorCode(body)),
  };
}
