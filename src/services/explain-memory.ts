import type { DecisionReason, DecisionStage } from "../core/apply-gate.js";
import { memoryNotFound } from "../core/errors.js";
import type { View } from "../core/scope.js";
import { readCandidateState } from "../db/queries/candidate-state.js";
import type { BoundDeps, Caller } from "./deps.js";
import { usableId } from "./memory-ids.js";
import { viewOfSearch } from "./resolve-scope.js";
import { scoreSearch, type SearchRequest } from "./score-search.js";
import { judge, type Hit, type Judged } from "./search-memories.js";

export interface Explanation {
  readonly search: Judged;
  readonly id: string;
  readonly decision: "kept" | "dropped";
  readonly stage: DecisionStage | EarlierStage;
  readonly reason: DecisionReason | EarlierReason;
  /** Place among the considered, 1 for the first; null for one that is not among them. */
  readonly place: number | null;
  /** Its scores; null for a memory that is no candidate. */
  readonly hit: Hit | null;
}

/** Stages before the gate. */
export const EARLIER_STAGES = ["eligibility", "filters", "pool"] as const;
export const EARLIER_REASONS = ["expired", "not_eligible", "filtered_out", "outside_pool"] as const;
export type EarlierStage = (typeof EARLIER_STAGES)[number];
export type EarlierReason = (typeof EARLIER_REASONS)[number];

/**
 * Why one memory would be in or out of a search's reply, by the search itself with exact scores for that memory, wherever
 * it ranks. Throws `not_found` for one that is unknown, deleted or hidden from the caller, and `embedding_unavailable`.
 */
export async function explainMemory(
  deps: BoundDeps,
  caller: Caller,
  request: Omit<SearchRequest, "explain" | "tokenBudget"> & { readonly memoryId: string },
): Promise<Explanation> {
  const id = usableId(request.memoryId);
  if (id === undefined) throw memoryNotFound();
  const scored = await scoreSearch(deps, caller, { ...request, explain: true, focus: id });
  const search = judge(deps, scored);
  const hit = scored.hits.find((each) => each.id === id) ?? null;
  const at = search.decisions.findIndex((each) => each.hit.id === id);
  const decided = search.decisions[at]?.decision;
  if (decided !== undefined) return { ...decided, search, hit, place: at + 1 };
  const dropped = { search, id, decision: "dropped", place: null, hit } as const;
  if (hit !== null) {
    return hit.matching
      ? { ...dropped, stage: "pool", reason: "outside_pool" }
      : { ...dropped, stage: "filters", reason: "filtered_out" };
  }
  const view = viewOfSearch(await deps.scopes.find(caller, request), request.asOf, deps.clock());
  return { ...dropped, stage: "eligibility", reason: await whyNoCandidate(deps, view, id) };
}

async function whyNoCandidate(deps: BoundDeps, view: View | undefined, id: string): Promise<EarlierReason> {
  if (view === undefined) throw memoryNotFound();
  const state = await readCandidateState(deps.db.inScope(view.scopeId), view, id);
  if (state === undefined) throw memoryNotFound();
  return state.eligible ? "expired" : "not_eligible";
}
