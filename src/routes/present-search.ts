import { sourceKind } from "../core/source-kind.js";
import type { Hit, ScopeRequest, SearchResult } from "../services/index.js";
import { presentContext } from "./present-context.js";
import { presentScope } from "./schemas/scope.js";
import type { DecisionReply, HitReply, SearchReply } from "./schemas/search.js";
import type { z } from "./zod.js";

/** The wire form of a search; with the decisions where they were asked for. */
export function presentSearch(
  found: SearchResult,
  scope: ScopeRequest,
  withDecisions: boolean,
): z.output<typeof SearchReply> {
  const { gate } = found;
  return {
    count: found.hits.length,
    memories: found.hits.map(presentHit),
    gate: {
      threshold: gate.threshold,
      source: gate.source,
      reason: gate.reason,
      mode: gate.mode,
      query_class: gate.query_class,
      temporal_state: gate.temporal_state,
      profile_floor: gate.profile_floor,
      limit: gate.limit,
      considered: found.considered,
      kept: found.hits.length,
      pool_truncated: found.poolTruncated,
      verdict: found.verdict,
    },
    scope: presentScope(scope),
    ...presentContext(found.context),
    timing_ms: {
      embedding: tenths(found.timing.embedding),
      retrieval: tenths(found.timing.retrieval),
      total: tenths(found.timing.total),
    },
    ...(withDecisions
      ? { filter_decisions: found.decisions.map((each) => presentDecision(each, gate.threshold)) }
      : {}),
  };
}

function presentHit({ hit, memory }: SearchResult["hits"][number]): z.output<typeof HitReply> {
  return {
    id: memory.id,
    content: memory.content,
    ...presentScores(hit),
    similarity: hit.similarity,
    importance: memory.importance,
    source_site: memory.sourceSite,
    namespace: memory.namespace,
    tags: [...memory.tags],
    metadata: memory.metadata,
    revision: memory.revision,
    event_at: memory.eventAt.toISOString(),
    created_at: memory.createdAt.toISOString(),
  };
}

function presentDecision(
  { hit, decision }: SearchResult["decisions"][number],
  threshold: number | null,
): z.output<typeof DecisionReply> {
  return {
    id: hit.id,
    source_site: hit.sourceSite,
    source_kind: sourceKind(hit.sourceSite),
    namespace: hit.namespace,
    ...presentScores(hit),
    threshold,
    decision: decision.decision,
    stage: decision.stage,
    reason: decision.reason,
  };
}

function presentScores(hit: Hit) {
  return {
    semantic_similarity: hit.similarity,
    lexical_score: null,
    relevance: hit.relevance,
    ranking_score: hit.ranking_score,
    score: hit.score,
  };
}

function tenths(ms: number): number {
  return Math.round(ms * 10) / 10;
}
