import type { Memory } from "../../core/memory.js";
import type { Profile } from "../../core/profiles.js";
import type { Fusion } from "../../core/rank-fusion.js";
import type { Filters } from "../../core/scope.js";
import type { SearchMode } from "../../core/search-mode.js";

export interface ScoreQuery {
  readonly mode: SearchMode;
  readonly filters: Filters;
  /** The space of `vector`; null in the lexical mode. */
  readonly spaceId: number | null;
  /** Float32Array of the space's dimensions, any length but 0; null in the lexical mode. */
  readonly vector: Float32Array | null;
  /** Hashes of the query's distinct terms. */
  readonly terms: readonly bigint[];
  /** Those of them that are identifiers. */
  readonly identifiers: readonly bigint[];
  readonly profile: Profile;
  readonly fusion: Fusion;
  /** How many candidates to consider at most by each channel. */
  readonly pool: number;
  /** Which of the considered come with their memory: those that pass, up to a number. */
  readonly wanted: Wanted;
  /** Every considered hit, or only what the gate needs: those with their memory, and the most relevant one. */
  readonly hits: "all" | "deciding";
  /** A memory that is scored whether it is among the best or not. */
  readonly focus?: string | undefined;
}

/** Floors of relevance, null where there is none; see core/apply-gate.ts. */
export interface Wanted {
  readonly threshold: number | null;
  readonly profileFloor: number | null;
  readonly limit: number;
}

/** A candidate with every score of the contract. */
export interface ScoredHit {
  readonly id: string;
  readonly revision: number;
  readonly namespace: string | null;
  readonly sourceSite: string | null;
  /** Cosine similarity in [-1, 1]; null without a vector in the query's space, and in the lexical mode. */
  readonly similarity: number | null;
  /** BM25; null where no term matched, and in the semantic mode. */
  readonly lexicalScore: number | null;
  /** 0 to 1; see core/bm25.ts. */
  readonly coverage: number;
  readonly relevance: number;
  readonly rankingScore: number;
  readonly score: number;
  /** Whether the filters let it through; false for a focus alone. */
  readonly matching: boolean;
  /** Whether it is among the best of a channel; false for a focus alone. */
  readonly considered: boolean;
  /** Set on those that {@link Wanted} asks for. */
  readonly memory: Memory | null;
}

export interface Scored {
  /** The space that was served as the statement began; null for none. */
  readonly servedSpaceId: number | null;
  /** Current memories that the caller may see, filters apart. */
  readonly documents: number;
  /** Memories that a channel could have considered. */
  readonly found: number;
  /** Memories that were considered. */
  readonly considered: number;
  /** In ranking order. */
  readonly hits: ScoredHit[];
}
