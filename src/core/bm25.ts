import type { TermKind } from "./term-hash.js";

/** k1 caps what repetition adds (0 to 3 is usual), b is how much length counts (0 to 1). The usual values of BM25. */
export const BM25 = { k1: 1.2, b: 0.75 };

/** The lexical scorers by name: `bm25_v1` on words as written, `bm25_en_v2` on English stems. */
export const LEXICAL_VERSIONS = { exact: "bm25_v1", stemmed: "bm25_en_v2" } as const satisfies Record<TermKind, string>;
export type LexicalVersion = (typeof LEXICAL_VERSIONS)[TermKind];

/** One term of a query in one memory. */
export interface Bm25Term {
  /** See {@link idf}. */
  readonly idf: number;
  /** How often the memory holds the term, 1 or more. */
  readonly frequency: number;
  /** Terms of the memory, repetitions counted. */
  readonly length: number;
  /** Mean of the lengths in the corpus. */
  readonly averageLength: number;
}

/**
 * What one distinct term of the query adds to a memory's score: idf · tf·(k1 + 1) / (tf + k1·(1 − b + b·length/average)).
 * Robertson and Zaragoza 2009, "The Probabilistic Relevance Framework: BM25 and Beyond", equation 3.15.
 */
export function bm25Term({ idf, frequency, length, averageLength }: Bm25Term): number {
  const { k1, b } = BM25;
  return (idf * frequency * (k1 + 1)) / (frequency + k1 * (1 - b + (b * length) / averageLength));
}

/**
 * Inverse document frequency, ln(1 + (N - df + .5) / (df + .5)): above 0, highest for df = 0. N documents, of which df
 * hold the term, 0 ≤ df ≤ N. The BM25 idf of Robertson and Spärck Jones with the + 1 of Lucene.
 */
export function idf(documents: number, documentFrequency: number): number {
  return Math.log(1 + (documents - documentFrequency + 0.5) / (documentFrequency + 0.5));
}

/** One distinct term of a query, and whether the memory in question holds it. */
export interface QueryTerm {
  /** See {@link idf}; a term that no memory of the scope holds has the highest, with df = 0. */
  readonly idf: number;
  readonly matched: boolean;
}

/** Share of the query that a memory holds, weighted by idf: Σ idf matched / Σ idf all, 0 to 1; 0 without terms. */
export function coverage(queryTerms: readonly QueryTerm[]): number {
  let all = 0;
  let matched = 0;
  for (const term of queryTerms) {
    all += term.idf;
    if (term.matched) matched += term.idf;
  }
  return all > 0 ? matched / all : 0;
}
