import { characterPairs } from "./character-pairs.js";
import { foldText } from "./fold-text.js";
import { splitChunks, splitUrl, type Chunk } from "./split-chunks.js";
import { stem } from "./stem.js";
import { withoutPossessive, wordTerms } from "./word-terms.js";

/** Version of the tokeniser: a change of any term is a new version and a rebuild of the postings. */
export const TOKENISER_VERSION = "tokeniser_v1";

/** The terms of a text, of either lexeme set, each with its frequency (1 or more). */
export interface Analysis {
  /** Exact terms, for `bm25_v1`. */
  readonly exact: Map<string, number>;
  /** The same with each plain English word replaced by its stem, for `bm25_en_v2`. */
  readonly stemmed: Map<string, number>;
  /** Document length: the sum of the frequencies, so that an identifier counts once whole and once per part. */
  readonly exactLength: number;
  /** Sum of the stemmed frequencies; equal to `exactLength`, since a stem stands for its word. */
  readonly stemmedLength: number;
}

/**
 * The terms of any text, in linear time.
 *
 * - Case, Unicode normal form, and the style of apostrophes and hyphens make no difference (see fold-text.ts).
 * - What holds together counts whole and in its parts: `ZX-4471-Q`, `user_id`, `state-of-the-art`, `a.b@example.com`
 *   (also `example.com`), URLs (see word-terms.ts). Bob's is `bob`, don't is `don't`, O'Brien also `obrien`.
 * - Scripts without spaces between words (Han, kana, Hangul, Thai, Lao, Khmer, Myanmar) by overlapping pairs of
 *   characters, each with its marks; a character alone is a term itself.
 * - Stems: words of the letters a to z only (see stem.ts).
 */
export function analyse(text: string): Analysis {
  const exact = new Map<string, number>();
  const stemmed = new Map<string, number>();
  let length = 0;
  for (const chunk of splitChunks(foldText(text))) {
    for (const term of chunkTerms(chunk)) {
      add(exact, term, 1);
      length += 1;
    }
  }
  for (const [term, frequency] of exact) add(stemmed, stem(term), frequency);
  return { exact, stemmed, exactLength: length, stemmedLength: length };
}

function* chunkTerms(chunk: Chunk): Generator<string> {
  if (chunk.kind === "unspaced") yield* characterPairs(chunk.text);
  else if (chunk.kind === "word") yield* wordTerms(chunk.text);
  else {
    const url = withoutPossessive(chunk.text);
    yield url;
    for (const part of splitUrl(url)) yield* chunkTerms(part);
  }
}

function add(terms: Map<string, number>, term: string, frequency: number): void {
  terms.set(term, (terms.get(term) ?? 0) + frequency);
}
