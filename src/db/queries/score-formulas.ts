import type { Profile } from "../../core/profiles.js";
import type { Fusion } from "../../core/rank-fusion.js";
import { RECENCY_MAX_TIME_CONSTANTS, RECENCY_TIME_CONSTANT_MS } from "../../core/score.js";
import { clamp01 } from "../../core/clamp01.js";
import type { SearchMode } from "../../core/search-mode.js";
import { sql, type Sql } from "../sql.js";

/**
 * The formulas of core/score.ts and core/rank-fusion.ts as SQL over a row with similarity, coverage, identifiers_held,
 * semantic_rank, lexical_rank, importance, trust, event_at and what was computed before; a test holds the two against each
 * other.
 */

/** See `relevance`. */
export const RELEVANCE = sql`greatest(0, least(1, coalesce(similarity, 0)), least(1, coalesce(coverage, 0)))`;

/** See `recency`. */
export function recencyAt(now: Date): Sql {
  const age = sql`greatest(0, extract(epoch from ${now}::timestamptz - event_at)::float8 / ${RECENCY_TIME_CONSTANT_MS / 1_000}::float8)`;
  return sql`exp(-least(${age}, ${RECENCY_MAX_TIME_CONSTANTS}::float8))`;
}

/** See `reciprocalRankFusion`: 0 in the semantic mode, of the words alone in the lexical one. */
export function fusionOf(mode: SearchMode, fusion: Fusion): Sql {
  if (mode === "semantic") return sql`0::float8`;
  const lexical = mode === "lexical" ? 1 : fusion.lexical;
  const semantic = mode === "lexical" ? 0 : fusion.semantic;
  return sql`(coalesce(${lexical}::float8 / (${fusion.k}::float8 + lexical_rank), 0)
               + coalesce(${semantic}::float8 / (${fusion.k}::float8 + semantic_rank), 0))
              * ${(fusion.k + 1) / (lexical + semantic)}::float8`;
}

/** See `rankingScore`. */
export function rankingScore(mode: SearchMode, { weights, ranking_min_similarity: floor }: Profile): Sql {
  const similarity = weights.similarity;
  const lexical = mode === "lexical" ? 1 : weights.lexical;
  return sql`(${similarity}::float8 * (coalesce(similarity, 0) + ${lexical}::float8 * rrf)
              + ${weights.identifiers}::float8 * coalesce(identifiers_held, 0)
              + case
                  when relevance >= ${clamp01(floor)}::float8
                  then ${weights.importance}::float8 * importance + ${weights.recency}::float8 * recency
                  else 0
                end) * trust`;
}

/** See `legacyScore`. */
export function legacyScore({ weights }: Profile): Sql {
  return sql`(2 * coalesce(similarity, 0) + importance + recency + ${weights.lexical}::float8 * rrf) * trust`;
}
