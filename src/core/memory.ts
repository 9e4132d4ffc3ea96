export const VISIBILITIES = ["workspace", "agent_only", "restricted"] as const;

/** Who in a workspace may see a memory: everyone, its author, or its author and the agents granted. */
export type Visibility = (typeof VISIBILITIES)[number];

export const EMBEDDING_STATUSES = ["ready", "pending"] as const;

/** Whether the memory has a vector in the served space; without one it waits in the backlog. */
export type EmbeddingStatus = (typeof EMBEDDING_STATUSES)[number];

export const REVIEWS = ["none", "approved", "rejected"] as const;

/** What a reviewer made of a memory; a rejected one is found by nothing, nor is what was derived from it. */
export type Review = (typeof REVIEWS)[number];

/**
 * The review state of the next revision: an approval is of what was read, so it ends with the content; a rejection
 * stays, or whoever may write could undo it.
 */
export function reviewAfter(review: Review, contentChanged: boolean): Review {
  return contentChanged && review === "approved" ? "none" : review;
}

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = Readonly<Record<string, Json>>;

/** What a caller can set of a memory. */
export interface MemoryFields {
  readonly content: string;
  /** Slash-separated path: `work/projects`. */
  readonly namespace: string | null;
  readonly sourceSite: string | null;
  readonly sourceUrl: string | null;
  readonly sessionId: string | null;
  readonly episodeType: string | null;
  readonly tags: readonly string[];
  /** 0 to 1. */
  readonly importance: number;
  /** 0 to 1; multiplies the score. */
  readonly trust: number;
  readonly metadata: JsonObject;
  /** When it happened; the time of writing where the caller does not say. */
  readonly eventAt: Date;
  /** From this time on the memory is no longer found. */
  readonly expiresAt: Date | null;
  readonly externalId: string | null;
  /** Null outside workspaces. */
  readonly visibility: Visibility | null;
}

/** One revision of a memory as it can be shown. */
export interface Memory extends MemoryFields {
  readonly id: string;
  readonly revision: number;
  readonly agentId: string | null;
  /** What it was derived from, in order of id; never changed. */
  readonly sourceMemoryIds: readonly string[];
  readonly review: Review;
  readonly embeddingStatus: EmbeddingStatus;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export const IMPORTANCE_DEFAULT = 0.5;
export const TRUST_DEFAULT = 1;
