import { countMerged } from "./count-merged.js";

/** The vocabulary that tokens are counted in. */
export const TOKENIZER = "o200k_base";

/** The number of tokens of a text; above `atMost` counting stops at once, and what is returned is above it. */
export type CountTokens = (text: string, atMost?: number) => number;

let loading: Promise<CountTokens> | undefined;

/**
 * Counts exactly as OpenAI's o200k_base does; names of special tokens such as `<|endoftext|>` are ordinary text. For
 * contexts from LoCoMo, cl100k_base counts 0.4 to 3.7 % more and p50k_base 7 to 12 % more (bench/tokens/RESULTS.md).
 * The library's expression cuts a text where JavaScript sees white space, which at U+0085 and U+FEFF is not what OpenAI's
 * implementation sees: a context has neither of them.
 *
 * The first call reads the vocabulary of 200,000 tokens: some 160 ms and 70 MB that commands without a search should not
 * pay, so it is loaded on demand, and a server demands it while its embedding model loads in another thread.
 */
export async function loadTokenCounter(): Promise<CountTokens> {
  loading ??= load();
  return await loading;
}

async function load(): Promise<CountTokens> {
  const { default: tokens } = await import("gpt-tokenizer/bpeRanks/o200k_base");
  const { O200K_TOKEN_SPLIT_REGEX } = await import("gpt-tokenizer/encodingParams/constants");
  return createTokenCounter(tokens, O200K_TOKEN_SPLIT_REGEX);
}

/**
 * A counter for one vocabulary: `tokens` in order of rank, each as text or, where that is not valid UTF-8, as bytes;
 * `split` cuts a text into the pieces that are merged one by one.
 */
export function createTokenCounter(tokens: readonly (string | readonly number[])[], split: RegExp): CountTokens {
  const ranks = new Map<string, number>();
  tokens.forEach((token, rank) => {
    ranks.set(typeof token === "string" ? bytesOf(token) : String.fromCharCode(...token), rank);
  });
  return (text, atMost = Infinity) => {
    let count = 0;
    for (const [piece] of text.matchAll(split)) {
      const bytes = bytesOf(piece);
      count += ranks.has(bytes) ? 1 : countMerged(bytes, ranks);
      if (count > atMost) break;
    }
    return count;
  };
}

/** The UTF-8 bytes of a text, one character (0 to 255) each. */
function bytesOf(text: string): string {
  const utf8 = Buffer.from(text);
  return utf8.length === text.length ? text : utf8.toString("latin1");
}
