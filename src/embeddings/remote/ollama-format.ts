import { embeddingUnavailable } from "../../core/errors.js";
import { memberOf, type WireFormat } from "./wire-format.js";

/** `POST {base}/api/embed` of an Ollama server. */
export function ollamaFormat(model: string): WireFormat {
  return {
    path: "api/embed",
    // Left to its default, the server cuts what is beyond the model's window and does not say so.
    writeRequest: (texts) => ({ model, input: texts, truncate: false }),
    readReply(reply) {
      const embeddings = memberOf(reply, "embeddings");
      if (!Array.isArray(embeddings)) throw embeddingUnavailable("ollama answered without embeddings");
      return embeddings as unknown[];
    },
  };
}
