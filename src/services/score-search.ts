import { FUSION_DEFAULT, FUSIONS } from "../core/rank-fusion.js";
import { resolveGate, type Gate, type GateMode } from "../core/resolve-gate.js";
import type { Filters } from "../core/scope.js";
import type { SearchMode } from "../core/search-mode.js";
import { scoreCandidates } from "../db/queries/score-candidates.js";
import type { Scored } from "../db/queries/score-query.js";
import type { BoundDeps, Caller } from "./deps.js";
import { identifierHashes, queryHashes } from "./index-content.js";
import { inServedSpace } from "./in-served-space.js";
import { viewOfSearch, type ScopeRequest } from "./resolve-scope.js";

/** What a search and an explanation of it ask for. */
export interface SearchRequest extends ScopeRequest {
  readonly query: string;
  readonly mode: SearchMode;
  readonly threshold: number | undefined;
  readonly gateMode: GateMode;
  /** Absent: the query's class sets it. */
  readonly limit: number | undefined;
  /** Most tokens of the context; absent: no bound. */
  readonly tokenBudget?: number | undefined;
  readonly filters: Filters;
  /** The recorded time that is asked about; absent: now. */
  readonly asOf: Date | undefined;
  /** Whether the decision about every considered memory is wanted. */
  readonly explain: boolean;
}

export interface ScoredSearch extends Scored {
  readonly gate: Gate;
  /** Milliseconds. */
  readonly timing: { readonly embedding: number; readonly retrieval: number };
}

/** Scored at most: enough that the order among the best does not hang on where the pool ends. */
const POOL = { perHit: 10, least: 200, most: 1_000 };

const NOTHING: Scored = { servedSpaceId: null, documents: 0, found: 0, considered: 0, hits: [] };

/**
 * The gate of a search and what it has to decide about, in one round trip after the embedding; `focus` is a memory that is
 * scored in any case. Throws `embedding_unavailable`: a channel that fails fails the request.
 */
export async function scoreSearch(
  deps: BoundDeps,
  caller: Caller,
  request: SearchRequest & { readonly focus?: string | undefined },
): Promise<ScoredSearch> {
  const began = performance.now();
  const gate = resolveGate(
    {
      query: request.query,
      threshold: request.threshold,
      gate_mode: request.gateMode,
      as_of: request.asOf,
      source_site: request.filters.sourceSite,
      limit: request.limit,
    },
    deps.gatePolicy,
  );
  const view = viewOfSearch(await deps.scopes.find(caller, request), request.asOf, deps.clock());
  let embedding = performance.now() - began;
  const scored = await inServedSpace(deps, request, async (query) => {
    embedding += query.tookMs;
    return view === undefined
      ? NOTHING
      : await scoreCandidates(deps.db.inScope(view.scopeId), view, {
          mode: request.mode,
          filters: request.filters,
          spaceId: query.spaceId,
          vector: query.vector,
          terms: queryHashes(request.query),
          identifiers: identifierHashes(request.query),
          profile: deps.gatePolicy.profile,
          fusion: FUSIONS[FUSION_DEFAULT],
          pool: Math.min(Math.max(POOL.perHit * gate.limit, POOL.least), POOL.most),
          wanted: {
            threshold: gate.opens ? null : gate.threshold,
            profileFloor: gate.profile_floor,
            limit: gate.limit,
          },
          hits: request.explain ? "all" : "deciding",
          focus: request.focus,
        });
  });
  return { ...scored, gate, timing: { embedding, retrieval: performance.now() - began - embedding } };
}
