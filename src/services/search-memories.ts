import { applyGate, type Decision, type Verdict } from "../core/apply-gate.js";
import { coverage, idf } from "../core/coverage.js";
import type { Memory } from "../core/memory.js";
import type { PackedContext } from "../core/pack-context.js";
import { orderHits } from "../core/order-hits.js";
import { resolveGate, type Gate, type GateMode } from "../core/resolve-gate.js";
import type { Filters, View } from "../core/scope.js";
import { legacyScore, rankingScore, recency, relevance } from "../core/score.js";
import { readRevisions } from "../db/queries/revisions.js";
import { scoreVector, type Corpus, type ScoredRow } from "../db/queries/score-vector.js";
import type { BoundDeps, Caller, ServiceDeps } from "./deps.js";
import { queryTerms } from "./index-content.js";
import { packContext } from "./pack-context.js";
import { viewOf, type ScopeRequest } from "./resolve-scope.js";

export interface SearchRequest extends ScopeRequest {
  readonly query: string;
  readonly threshold: number | undefined;
  readonly gateMode: GateMode;
  /** Absent: the query's class sets it. */
  readonly limit: number | undefined;
  /** Most tokens of the context. Absent: no bound. */
  readonly tokenBudget?: number | undefined;
  readonly filters: Filters;
}

/** A candidate with every score of the contract. */
export interface Hit extends ScoredRow {
  readonly coverage: number;
  readonly relevance: number;
  readonly ranking_score: number;
  readonly score: number;
  readonly best_rank: number;
  readonly content_digest: string;
}

export interface SearchResult {
  readonly gate: Gate;
  readonly verdict: Verdict;
  readonly considered: number;
  /** More candidates matched than were scored. */
  readonly poolTruncated: boolean;
  readonly hits: readonly { readonly hit: Hit; readonly memory: Memory }[];
  /** Of the hits, in their order. */
  readonly context: PackedContext<Memory>;
  /** One for every considered hit, in ranking order. */
  readonly decisions: readonly { readonly hit: Hit; readonly decision: Decision }[];
  /** Milliseconds. */
  readonly timing: { readonly embedding: number; readonly retrieval: number; readonly total: number };
}

/** Scored at most: enough that the order among the best does not hang on where the pool ends. */
const POOL = { perHit: 10, least: 200, most: 1_000 };

/** Finds the memories that are relevant to a query. Throws `embedding_unavailable`. */
export async function searchMemories(deps: BoundDeps, caller: Caller, request: SearchRequest): Promise<SearchResult> {
  const started = performance.now();
  const gate = resolveGate(gateRequest(request), deps.gatePolicy);
  const view = viewOf(await deps.scopes.find(caller, request), deps.clock());
  const vector = await deps.embedder.embedQuery(request.query);
  const embedded = performance.now();
  const found = view === undefined ? NOTHING : await score(deps, view, { request, gate, vector });
  const gated = applyGate(gate, found.hits, {
    config_threshold: deps.gatePolicy.similarity_threshold,
    storeEmpty: found.corpus.documents === 0,
  });
  const hits = view === undefined ? [] : await withMemories(deps, view, gated.kept);
  const retrieved = performance.now();
  const context = await packContext(
    hits.map(({ memory }) => memory),
    request.tokenBudget,
  );
  const ended = performance.now();
  return {
    gate,
    verdict: gated.verdict,
    considered: gated.considered,
    poolTruncated: found.poolTruncated,
    hits,
    context,
    decisions: found.hits.flatMap((hit, index) => {
      const decision = gated.decisions[index];
      return decision === undefined ? [] : [{ hit, decision }];
    }),
    timing: { embedding: embedded - started, retrieval: retrieved - embedded, total: ended - started },
  };
}

interface Found {
  readonly corpus: Corpus;
  readonly hits: Hit[];
  readonly poolTruncated: boolean;
}

const NOTHING: Found = { corpus: { documents: 0, documentFrequencies: [] }, hits: [], poolTruncated: false };

async function score(
  deps: ServiceDeps,
  view: View,
  search: { readonly request: SearchRequest; readonly gate: Gate; readonly vector: Float32Array },
): Promise<Found> {
  const pool = Math.min(Math.max(POOL.perHit * search.gate.limit, POOL.least), POOL.most);
  const { corpus, matching, hits } = await scoreVector(deps.db.inScope(view.scopeId), view, {
    filters: search.request.filters,
    spaceId: deps.spaceId,
    vector: search.vector,
    terms: queryTerms(search.request.query),
    pool,
  });
  const coverages = coveragesOf(hits, corpus);
  const wordRanks = ranksOf(coverages);
  const scored = hits.map((row, index) => {
    const covered = coverages[index] ?? 0;
    return toHit(deps, { row, covered, rank: Math.min(index + 1, wordRanks.get(covered) ?? Infinity) }, view.now);
  });
  return { corpus, hits: orderHits(scored), poolTruncated: matching > hits.length };
}

/** How much of the query each hit holds. */
function coveragesOf(hits: readonly ScoredRow[], corpus: Corpus): number[] {
  const idfs = corpus.documentFrequencies.map((frequency) => idf(corpus.documents, frequency));
  return hits.map((hit) => {
    const matched = new Set(hit.matchedTerms);
    return coverage(idfs.map((each, index) => ({ idf: each, matched: matched.has(index) })));
  });
}

/** The rank of each value above 0, the greatest first; equal values share one. */
function ranksOf(values: readonly number[]): Map<number, number> {
  const descending = values.filter((value) => value > 0).sort((a, b) => b - a);
  return new Map(descending.map((value) => [value, descending.indexOf(value) + 1]));
}

function toHit(
  deps: Pick<ServiceDeps, "gatePolicy">,
  found: { readonly row: ScoredRow; readonly covered: number; readonly rank: number },
  now: Date,
): Hit {
  const { row, covered } = found;
  const { profile } = deps.gatePolicy;
  const parts = {
    similarity: row.similarity,
    importance: row.importance,
    recency: recency(row.eventAt.getTime(), now.getTime()),
    trust: row.trust,
    relevance: relevance({ cosine: row.similarity, coverage: covered }),
  };
  return {
    ...row,
    coverage: covered,
    relevance: parts.relevance,
    ranking_score: rankingScore(parts, profile),
    score: legacyScore(parts, profile),
    best_rank: found.rank,
    content_digest: row.contentDigest,
  };
}

/** Joins the text and the rest to the hits that are returned; one that has been erased meanwhile is left out. */
async function withMemories(
  deps: ServiceDeps,
  view: View,
  kept: readonly Hit[],
): Promise<{ hit: Hit; memory: Memory }[]> {
  const memories = await readRevisions(deps.db.inScope(view.scopeId), view.scopeId, {
    revisions: kept,
    spaceId: deps.spaceId,
  });
  const byId = new Map(memories.map((memory) => [memory.id, memory]));
  return kept.flatMap((hit) => {
    const memory = byId.get(hit.id);
    return memory === undefined ? [] : [{ hit, memory }];
  });
}

function gateRequest(request: SearchRequest) {
  return {
    query: request.query,
    threshold: request.threshold,
    gate_mode: request.gateMode,
    source_site: request.filters.sourceSite,
    limit: request.limit,
  };
}
