export type ProfileName = "safe" | "balanced" | "quality";

/** How much each part counts in `ranking_score`; each 0 or more. */
export interface RankingWeights {
  /** Of the cosine similarity (-1 to 1). Default 1: the other weights are in its units. */
  readonly similarity: number;
  /** Of the importance (0 to 1). Range 0 to .1, default .05: all of it outweighs a cosine difference of .05. */
  readonly importance: number;
  /** Of the recency (above 0, to 1). Range 0 to .1, default .05: now against long ago outweighs .05 of cosine. */
  readonly recency: number;
  /**
   * Of the reciprocal rank fusion (0 to 1), hybrid scorer only. Range 0 to 1, default .8: on every set of bench/ranking
   * more of it ranked better up to there, and beyond it gained little.
   */
  readonly lexical: number;
  /**
   * Of the share of the query's identifiers (`ZX-4471-Q`) that a memory holds (0 to 1), where few do, not by vectors alone. Range 0 to 3,
   * default 3: more than all the rest can make up, since a cosine knows next to nothing of a number in a long text.
   */
  readonly identifiers: number;
}

/** A named set of ranking numbers. */
export interface Profile {
  readonly name: ProfileName;
  /**
   * The relevance (0 to 1) from which importance and recency count at all, and below which the gate drops the hits of
   * direct queries. Default .30; higher returns less and surer memories.
   */
  readonly ranking_min_similarity: number;
  readonly weights: RankingWeights;
}

/** Importance and recency together move a memory by at most .1 of cosine: they break near-ties and no more. */
const WEIGHTS: RankingWeights = { similarity: 1, importance: 0.05, recency: 0.05, lexical: 0.8, identifiers: 3 };

/** `safe` returns the least, `quality` the most; `balanced` is the default. */
export const PROFILES: Readonly<Record<ProfileName, Profile>> = {
  safe: { name: "safe", ranking_min_similarity: 0.35, weights: WEIGHTS },
  balanced: { name: "balanced", ranking_min_similarity: 0.3, weights: WEIGHTS },
  quality: { name: "quality", ranking_min_similarity: 0.25, weights: WEIGHTS },
};

export const PROFILE_DEFAULT: ProfileName = "balanced";
