/** By which channels candidates are found: `lexical` asks no embedder, `semantic` computes no BM25, `hybrid` does both. */
export const SEARCH_MODES = ["hybrid", "semantic", "lexical"] as const;
export type SearchMode = (typeof SEARCH_MODES)[number];

/** The one candidate plan: what a scope's current records are, and that filters come before every limit. */
export const CANDIDATE_SELECTION_VERSION = "current_records_v1";
