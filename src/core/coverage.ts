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
