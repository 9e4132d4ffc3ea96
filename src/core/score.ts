import { clamp01 } from "./clamp01.js";
import type { Profile } from "./profiles.js";

/** Time in which recency falls to 1/e: 30 days, in ms. */
export const RECENCY_TIME_CONSTANT_MS = 30 * 24 * 60 * 60 * 1_000;

/**
 * Ages count up to 700 time constants (57 years): exp(-700) is 1e-304, whereas exp(-746) is 0 here and an underflow
 * error in Postgres.
 */
export const RECENCY_MAX_TIME_CONSTANTS = 700;

/** What the score formulas are made of; `similarity` null (no binding in the served space) counts as 0. */
export interface ScoreParts {
  /** Cosine of query and memory, -1 to 1. */
  readonly similarity: number | null;
  /** 0 to 1. */
  readonly importance: number;
  /** Above 0, to 1; see {@link recency}. */
  readonly recency: number;
  /** 0 to 1. */
  readonly trust: number;
  /** Reciprocal rank fusion divided by its maximum, 0 to 1; hybrid scorer only, absent counts as 0. */
  readonly rrf?: number;
  /** Share of the query's identifiers that the memory holds, 0 to 1; absent (by vectors alone) counts as 0. */
  readonly identifiersHeld?: number;
}

/** exp(-max(0, now - event_at) / 30 d), in (0, 1]; 1 for a future event. Both times in ms since the epoch. */
export function recency(event_at_ms: number, now_ms: number): number {
  const age = Math.max(0, now_ms - event_at_ms) / RECENCY_TIME_CONSTANT_MS;
  return Math.exp(-Math.min(age, RECENCY_MAX_TIME_CONSTANTS));
}

/** Relevance of a memory that holds an identifier of the query which few others hold: it is what was asked for. */
export const IDENTIFIED_RELEVANCE = 0.9;

/** An identifier tells memories apart while at most so many hold it, or at most so large a share of the scope's. */
export const IDENTIFIER_HOLDERS = { most: 3, share: 0.01 };

/**
 * How relevant a memory is, 0 to 1: max(clamp01(cosine), q), where q is the lexical coverage (0 to 1; see bm25.ts), and at
 * least {@link IDENTIFIED_RELEVANCE} where it holds an identifier of the query. Interim formula of design.md, "Calibration",
 * with its rule for literal matches: words that the scope does not know would dilute the one that counts.
 */
export function relevance(evidence: {
  readonly cosine: number | null;
  readonly coverage: number;
  /** Share of the query's identifiers that the memory holds, 0 to 1. */
  readonly identifiersHeld: number;
}): number {
  const identified = evidence.identifiersHeld > 0 ? IDENTIFIED_RELEVANCE : 0;
  return Math.max(clamp01(evidence.cosine), clamp01(evidence.coverage), identified);
}

/**
 * (w_sim·s + w_id·i + [relevance ≥ floor]·(w_imp·importance + w_rec·recency)) × trust, which decides the order; s is the
 * cosine (hybrid: plus w_lex·rrf), i the share of the query's identifiers that the memory holds, and floor the profile's
 * `ranking_min_similarity`. From design.md, "The score contract".
 */
export function rankingScore(parts: ScoreParts & { readonly relevance: number }, profile: Profile): number {
  const { weights } = profile;
  const evidence = (parts.similarity ?? 0) + weights.lexical * (parts.rrf ?? 0);
  const eligible = parts.relevance >= clamp01(profile.ranking_min_similarity);
  const boost = eligible ? weights.importance * parts.importance + weights.recency * parts.recency : 0;
  const named = weights.identifiers * (parts.identifiersHeld ?? 0);
  return (weights.similarity * evidence + named + boost) * parts.trust;
}

/**
 * (2·s + importance + recency (+ w_lex·rrf in hybrid)) × trust: the `score` that existing clients read; neither gated
 * nor used to order. From design.md, "The score contract".
 */
export function legacyScore(parts: ScoreParts, profile: Profile): number {
  const lexical = profile.weights.lexical * (parts.rrf ?? 0);
  return (2 * (parts.similarity ?? 0) + parts.importance + parts.recency + lexical) * parts.trust;
}
