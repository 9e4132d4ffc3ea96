import { embeddingUnavailable } from "../../core/errors.js";
import { memberOf, type WireFormat } from "./wire-format.js";

interface OpenAiModel {
  readonly model: string;
  /** Asked of the server when configured; models that cannot shorten their vectors refuse it. */
  readonly dimensions: number | undefined;
}

/** `POST {base}/embeddings` as OpenAI defines it and many servers speak it. */
export function openAiFormat({ model, dimensions }: OpenAiModel): WireFormat {
  return {
    path: "embeddings",
    writeRequest: (texts) => ({
      model,
      // Some compatible servers only take a bare string when there is a single text.
      input: texts.length === 1 ? texts[0] : texts,
      encoding_format: "float",
      ...(dimensions === undefined ? {} : { dimensions }),
    }),
    readReply: readOpenAiReply,
  };
}

/** Entries carry their own `index` and may come in any order. */
function readOpenAiReply(reply: unknown): readonly unknown[] {
  const data = memberOf(reply, "data");
  if (!Array.isArray(data)) throw embeddingUnavailable("openai answered without data");
  const ordered = new Array<unknown>(data.length);
  const seen = new Set<number>();
  for (const entry of data as unknown[]) {
    const index = memberOf(entry, "index");
    if (typeof index !== "number" || !Number.isInteger(index) || index < 0 || index >= data.length || seen.has(index)) {
      throw embeddingUnavailable(
        `openai returned ${String(data.length)} vectors whose index is not 0 to n-1 once each`,
      );
    }
    seen.add(index);
    ordered[index] = memberOf(entry, "embedding");
  }
  return ordered;
}
