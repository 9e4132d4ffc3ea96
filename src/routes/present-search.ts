import { LEXICAL_VERSIONS } from "../core/bm25.js";
import { FUSION_DEFAULT } from "../core/rank-fusion.js";
import { CANDIDATE_SELECTION_VERSION, type SearchMode } from "../core/search-mode.js";
import { sourceKind } from "../core/source-kind.js";
import type { Explanation, Hit, Judged, ScopeRequest, SearchResult } from "../services/index.js";
import { presentContext } from "./present-context.js";
import { presentScope } from "./schemas/scope.js";
import type { DecisionReply, ExplainReply, GateReply, HitReply, RankingReply, SearchReply } from "./schemas/search.js";
import type { z } from "./zod.js";

/** What a request asked for that its reply repeats. */
interface Asked {
  readonly scope: ScopeRequest;
  readonly mode: SearchMode;
}

/** The wire form of a search; with the decisions where they were asked for. */
export function presentSearch(found: SearchResult, asked: Asked, withDecisions: boolean): z.output<typeof SearchReply> {
  return {
    count: found.hits.length,
    memories: found.hits.map(presentHit),
    gate: presentGate(found),
    ranking: presentRanking(found, asked.mode),
    scope: presentScope(asked.scope),
    ...presentContext(found.context),
    timing_ms: {
      embedding: tenths(found.timing.embedding),
      retrieval: tenths(found.timing.retrieval),
      total: tenths(found.timing.total),
    },
    ...(withDecisions
      ? { filter_decisions: found.decisions.map((each) => presentDecision(each, found.gate.threshold)) }
      : {}),
  };
}

/** The wire form of why one memory is in or out. */
export function presentExplanation(explained: Explanation, asked: Asked): z.output<typeof ExplainReply> {
  return {
    memory_id: explained.id,
    decision: explained.decision,
    stage: explained.stage,
    reason: explained.reason,
    place: explained.place,
    scores: explained.hit === null ? null : presentScores(explained.hit),
    gate: presentGate(explained.search),
    ranking: presentRanking(explained.search, asked.mode),
    scope: presentScope(asked.scope),
  };
}

function presentGate(found: Judged): z.output<typeof GateReply> {
  const { gate } = found;
  return {
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
  };
}

function presentRanking(found: Judged, mode: SearchMode): z.output<typeof RankingReply> {
  return {
    mode,
    profile: found.profile,
    candidate_selection_version: CANDIDATE_SELECTION_VERSION,
    lexical_version: mode === "semantic" ? null : LEXICAL_VERSIONS.stemmed,
    fusion_version: mode === "hybrid" ? FUSION_DEFAULT : null,
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
    lexical_score: hit.lexicalScore,
    relevance: hit.relevance,
    ranking_score: hit.rankingScore,
    score: hit.score,
  };
}

function tenths(ms: number): number {
  return Math.round(ms * 10) / 10;
}
