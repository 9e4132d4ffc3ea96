import { applyGate, type Decision, type Verdict } from "../core/apply-gate.js";
import type { Memory } from "../core/memory.js";
import type { PackedContext } from "../core/pack-context.js";
import type { ProfileName } from "../core/profiles.js";
import type { Gate } from "../core/resolve-gate.js";
import type { ScoredHit } from "../db/queries/score-query.js";
import type { BoundDeps, Caller } from "./deps.js";
import { packContext } from "./pack-context.js";
import { scoreSearch, type ScoredSearch, type SearchRequest } from "./score-search.js";

export type Hit = ScoredHit;

export interface SearchResult {
  readonly gate: Gate;
  readonly profile: ProfileName;
  readonly verdict: Verdict;
  readonly considered: number;
  /** More candidates matched than were considered. */
  readonly poolTruncated: boolean;
  readonly hits: readonly { readonly hit: Hit; readonly memory: Memory }[];
  /** Of the hits, in their order. */
  readonly context: PackedContext<Memory>;
  /** One for every considered hit, in ranking order; not of all where the request did not ask to explain. */
  readonly decisions: readonly { readonly hit: Hit; readonly decision: Decision }[];
  /** Milliseconds. */
  readonly timing: { readonly embedding: number; readonly retrieval: number; readonly total: number };
}

/** What the gate made of what was scored. */
export type Judged = Omit<SearchResult, "context" | "timing">;

/** Finds the memories that are relevant to a query. Throws `embedding_unavailable`. */
export async function searchMemories(deps: BoundDeps, caller: Caller, request: SearchRequest): Promise<SearchResult> {
  const began = performance.now();
  const scored = await scoreSearch(deps, caller, request);
  const judged = judge(deps, scored);
  const context = await packContext(
    judged.hits.map(({ memory }) => memory),
    request.tokenBudget,
  );
  return { ...judged, context, timing: { ...scored.timing, total: performance.now() - began } };
}

/** Applies the gate to what was scored. */
export function judge(
  deps: Pick<BoundDeps, "gatePolicy">,
  { gate, hits, documents, found, considered }: ScoredSearch,
): Judged {
  const deciding = hits.filter((hit) => hit.considered);
  const gated = applyGate(gate, deciding, {
    config_threshold: deps.gatePolicy.similarity_threshold,
    storeEmpty: documents === 0,
  });
  return {
    gate,
    profile: deps.gatePolicy.profile.name,
    verdict: gated.verdict,
    considered,
    poolTruncated: found > considered,
    hits: gated.kept.map((hit) => ({ hit, memory: memoryOf(hit) })),
    decisions: deciding.flatMap((hit, index) => {
      const decision = gated.decisions[index];
      return decision === undefined ? [] : [{ hit, decision }];
    }),
  };
}

/** The scorer brings the memories of those that the gate keeps, by the same floors and in the same order. */
function memoryOf(hit: Hit): Memory {
  if (hit.memory === null) throw new Error("the gate kept a memory that the scorer did not bring");
  return hit.memory;
}
