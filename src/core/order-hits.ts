/** What decides the order of two hits. */
export interface Ranked {
  readonly id: string;
  readonly ranking_score: number;
  /** The better of the hit's ranks in the single channels (vector, lexical), 1 for the first. */
  readonly best_rank: number;
  /** Digest of the content, as text; compared by code unit, as `collate "C"` does. */
  readonly content_digest: string;
}

/**
 * The hits in the order in which a caller sees them: `ranking_score` descending, best single-channel rank, content
 * digest, id. A total order, so that two imports of one corpus give one order. NaN sorts last. The input stays as it is.
 */
export function orderHits<T extends Ranked>(hits: readonly T[]): T[] {
  return [...hits].sort(compareHits);
}

function compareHits(a: Ranked, b: Ranked): number {
  return (
    compare(sortable(b.ranking_score), sortable(a.ranking_score)) ||
    compare(a.best_rank, b.best_rank) ||
    compare(a.content_digest, b.content_digest) ||
    compare(a.id, b.id)
  );
}

function sortable(score: number): number {
  return Number.isNaN(score) ? -Infinity : score;
}

function compare<V extends number | string>(a: V, b: V): number {
  if (a < b) return -1;
  return a > b ? 1 : 0;
}
