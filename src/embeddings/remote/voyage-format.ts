import { oneOrMany, readIndexed } from "./openai-format.js";
import { readVendorCode } from "./vendor-codes.js";
import type { WireFormat } from "./wire-format.js";

interface VoyageModel {
  readonly model: string;
  /** Asked of the server when configured. */
  readonly dimensions: number | undefined;
}

/** `POST {base}/embeddings` of Voyage AI (docs.voyageai.com/reference/embeddings-api). */
export function voyageFormat({ model, dimensions }: VoyageModel): WireFormat {
  return {
    path: "embeddings",
    writeRequest: (texts, purpose) => ({
      model,
      input: oneOrMany(texts),
      input_type: purpose,
      // By default the server cuts what is beyond the model's window and does not say so.
      truncation: false,
      ...(dimensions === undefined ? {} : { output_dimension: dimensions }),
    }),
    readReply: (reply) => readIndexed(reply, "voyage"),
    readRefusal: readVendorCode,
  };
}
