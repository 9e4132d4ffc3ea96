import type { FilterTree } from "./filter-tree.js";

/** The names of one partition of memories: exactly one of `userId` and `workspaceId` is set; null is "none", no wildcard. */
export interface ScopeNames {
  readonly project: string | null;
  readonly mission: string | null;
  readonly userId: string | null;
  readonly workspaceId: string | null;
}

/**
 * A scope that one request may act in, fixed before any data is read.
 * `agentId` is the calling agent in a workspace (author, and subject of visibility); with a user it is provenance.
 */
export interface Scope {
  /** Undefined while nothing was ever written there. */
  readonly id: number | undefined;
  readonly names: ScopeNames;
  readonly agentId: string | null;
}

/** These agents, or all but one. */
export type Authors = { readonly among: readonly string[] } | { readonly not: string };

/** Which current memories a request is about; applied by every statement before its limit. */
export interface Filters {
  readonly agentId?: string | undefined;
  /** In a workspace: by which agents. */
  readonly authors?: Authors | undefined;
  readonly externalId?: string | undefined;
  /** A namespace and everything below it, by whole segments. */
  readonly namespaceScope?: string | undefined;
  readonly sourceSite?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly episodeTypes?: readonly string[] | undefined;
  readonly tagsAny?: readonly string[] | undefined;
  readonly tagsAll?: readonly string[] | undefined;
  /** Inclusive. */
  readonly eventFrom?: Date | undefined;
  /** Exclusive. */
  readonly eventBefore?: Date | undefined;
  readonly tree?: FilterTree | undefined;
}

/** What one request may see: fixed once, with its one clock. */
export interface View {
  readonly scopeId: number;
  /** The calling agent of a workspace; null with a user, where nothing is hidden from the user's own applications. */
  readonly viewer: string | null;
  /** What expiry, recency and everything else is judged at: the request's clock, or the recorded time that it asks about. */
  readonly now: Date;
  /** Whether memories are seen as they were recorded at `now`, not as they stand. */
  readonly past: boolean;
}
