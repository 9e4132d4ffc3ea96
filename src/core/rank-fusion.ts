export type FusionVersion = "weighted_rrf_v1" | "weighted_rrf_v2";

/** A weighted reciprocal rank fusion; its numbers are the server's, a client names it. */
export interface Fusion {
  readonly version: FusionVersion;
  /** Weights of the two channels, summing to 1. */
  readonly lexical: number;
  readonly semantic: number;
  /** Rank constant: the greater, the less the first ranks stand out. */
  readonly k: number;
}

export const FUSIONS: Readonly<Record<FusionVersion, Fusion>> = {
  weighted_rrf_v1: { version: "weighted_rrf_v1", lexical: 0.5, semantic: 0.5, k: 60 },
  weighted_rrf_v2: { version: "weighted_rrf_v2", lexical: 0.25, semantic: 0.75, k: 2 },
};

export const FUSION_DEFAULT: FusionVersion = "weighted_rrf_v2";

/** Ranks of a hit in the two channels, 1 for the first; null where it is not among a channel's best. */
export interface ChannelRanks {
  readonly lexical: number | null;
  readonly semantic: number | null;
}

/**
 * Σ w / (k + rank) over the channels that found the hit, divided by its maximum, so 0 to 1: 1 for the first in both.
 * Cormack, Clarke and Büttcher 2009, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning Methods",
 * with weights.
 */
export function reciprocalRankFusion(fusion: Fusion, ranks: ChannelRanks): number {
  const part = (weight: number, rank: number | null): number => (rank === null ? 0 : weight / (fusion.k + rank));
  const sum = part(fusion.lexical, ranks.lexical) + part(fusion.semantic, ranks.semantic);
  return (sum * (fusion.k + 1)) / (fusion.lexical + fusion.semantic);
}
