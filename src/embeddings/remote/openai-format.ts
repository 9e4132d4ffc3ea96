import { memberOf, ProviderFailure } from "../batching/provider-failure.js";
import { readVendorCode } from "./vendor-codes.js";
import type { WireFormat } from "./wire-format.js";

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
      input: oneOrMany(texts),
      encoding_format: "float",
      ...(dimensions === undefined ? {} : { dimensions }),
    }),
    readReply: (reply) => readIndexed(reply, "openai"),
    readRefusal: readVendorCode,
  };
}

/** Some compatible servers only take a bare string when there is a single text. */
export function oneOrMany(texts: readonly string[]): string | readonly string[] {
  const [first] = texts;
  return texts.length === 1 && first !== undefined ? first : texts;
}

/** Entries of `data` carry their own `index` and may come in any order. */
export function readIndexed(reply: unknown, provider: string): readonly unknown[] {
  const data = memberOf(reply, "data");
  if (!Array.isArray(data)) throw new ProviderFailure("bad_reply", `${provider} answered without data`);
  const ordered = new Array<unknown>(data.length);
  const seen = new Set<number>();
  for (const entry of data as unknown[]) {
    const index = memberOf(entry, "index");
    if (typeof index !== "number" || !Number.isInteger(index) || index < 0 || index >= data.length || seen.has(index)) {
      const count = String(data.length);
      throw new ProviderFailure(
        "bad_reply",
        `${provider} returned ${count} vectors whose index is not 0 to n-1 once each`,
      );
    }
    seen.add(index);
    ordered[index] = memberOf(entry, "embedding");
  }
  return ordered;
}
