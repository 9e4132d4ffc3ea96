import { DECISION_REASONS, DECISION_STAGES, VERDICTS } from "../../core/apply-gate.js";
import { AGENT_SCOPE_MAX, LIMIT_MAX, NAME_MAX_BYTES, QUERY_MAX_BYTES } from "../../core/limits.js";
import { GATE_MODES, GATE_REASONS, GATE_SOURCES } from "../../core/resolve-gate.js";
import { SEARCH_MODES, CANDIDATE_SELECTION_VERSION } from "../../core/search-mode.js";
import { LEXICAL_VERSIONS } from "../../core/bm25.js";
import { FUSIONS } from "../../core/rank-fusion.js";
import { EARLIER_REASONS, EARLIER_STAGES } from "../../services/index.js";
import { z } from "../zod.js";
import { contextFields, TokenBudget } from "./context.js";
import { FilterNode } from "./filter-tree.js";
import { filterFields } from "./filters.js";
import { MemoryId } from "./ids.js";
import { checkScope, ScopeReply, scopeFields } from "./scope.js";
import { text } from "./text.js";
import { Time, TimeReply } from "./time.js";

/** What every search takes, and an explanation of it. */
export const searchFields = {
  ...scopeFields,
  ...filterFields,
  filter: FilterNode.optional(),
  query: text(QUERY_MAX_BYTES).openapi({ description: "What the memories should be relevant to. 1 to 4,096 bytes." }),
  threshold: z.number().min(0).max(1).optional().openapi({
    description:
      "Least relevance of a returned memory. 0 is a floor of 0, not the same as absent; it beats every other floor.",
  }),
  gate_mode: z
    .enum(GATE_MODES)
    .default("auto")
    .openapi({
      description:
        "auto: the configured floor, lifted for recall-oriented queries. strict: the configured floor and the profile's, always. " +
        "open: once one memory reaches the floor the best `limit` come back. off: no floor.",
    }),
  limit: z.int().min(1).max(LIMIT_MAX).optional().openapi({
    description: "A ceiling, not a target. Absent: the query's class sets it.",
  }),
  agent_scope: z
    .union([z.enum(["all", "self", "others"]), z.array(text(NAME_MAX_BYTES)).min(1).max(AGENT_SCOPE_MAX)])
    .optional()
    .openapi({
      description:
        "In a workspace, whose memories: everyone's (all, the default), the calling agent's, the others', or those of the agents named.",
    }),
  as_of: Time.optional().openapi({
    description:
      "Search what was recorded at this time, memories deleted since included; expiry and recency are judged at it too.",
  }),
};

const mode = z
  .enum(SEARCH_MODES)
  .default("hybrid")
  .openapi({
    description:
      "hybrid: by meaning and by words. semantic: by meaning alone. lexical: by words alone; asks no embedding model, so that " +
      "`semantic_similarity` is null and `relevance` that of the words. A channel that fails fails the request.",
  });

const answer = {
  token_budget: TokenBudget,
  explain: z.boolean().default(false).openapi({
    description: "Also return `filter_decisions`, which disclose source and namespace of every considered memory.",
  }),
};

export const SearchBody = z
  .strictObject({ ...searchFields, ...answer, mode })
  .superRefine(checkSearch)
  .openapi("Search");

export const FastSearchBody = z
  .strictObject({ ...searchFields, ...answer })
  .superRefine(checkSearch)
  .openapi("FastSearch");

export const ExplainBody = z
  .strictObject({ ...searchFields, mode, memory_id: MemoryId })
  .superRefine(checkSearch)
  .openapi("Explain");

function checkSearch(value: z.output<z.ZodObject<typeof searchFields>>, context: z.RefinementCtx): void {
  checkScope(value, context);
  if (value.agent_scope !== undefined && value.workspace_id === undefined) {
    context.addIssue({
      code: "custom",
      path: ["agent_scope"],
      message: "needs workspace_id: it is about a workspace's agents",
    });
  }
}

const scores = {
  semantic_similarity: z.number().min(-1).max(1).nullable().openapi({
    description:
      "Cosine of query and memory in the served space; null while the memory has no vector there, and in the lexical mode.",
  }),
  lexical_score: z.number().nullable().openapi({
    description:
      "BM25 by the statistics of what matches the filters; null where no term matched, and in the semantic mode.",
  }),
  relevance: z.number().min(0).max(1).openapi({ description: "What the gate compares with the threshold." }),
  ranking_score: z.number().openapi({ description: "What orders the memories." }),
  score: z.number().openapi({ description: "Legacy composite, ungated; never gated on and never used to order." }),
};

export const HitReply = z
  .strictObject({
    id: z.uuid(),
    content: z.string(),
    ...scores,
    similarity: z.number().nullable().openapi({ description: "Old name of semantic_similarity." }),
    importance: z.number(),
    source_site: z.string().nullable(),
    namespace: z.string().nullable(),
    tags: z.array(z.string()),
    metadata: z.record(z.string(), z.unknown()),
    revision: z.int(),
    event_at: TimeReply,
    created_at: TimeReply,
  })
  .openapi("SearchHit");

export const GateReply = z
  .strictObject({
    threshold: z.number().nullable().openapi({ description: "null: nothing was held back by a floor." }),
    source: z.enum(GATE_SOURCES),
    reason: z.enum(GATE_REASONS),
    mode: z.enum(GATE_MODES),
    query_class: z.enum(["simple", "medium", "complex", "multi_hop", "aggregation"]),
    temporal_state: z.enum(["current", "historical"]).nullable(),
    profile_floor: z.number().nullable().openapi({ description: "The profile's own floor, where it applies." }),
    limit: z.int(),
    considered: z.int().openapi({ description: "Memories that were scored." }),
    kept: z.int(),
    pool_truncated: z.boolean().openapi({ description: "More memories matched the filters than were scored." }),
    verdict: z.enum(VERDICTS).openapi({
      description: "What the best considered memory says at the configured floor, whatever floor this request had.",
    }),
  })
  .openapi("Gate");

export const RankingReply = z
  .strictObject({
    mode: z.enum(SEARCH_MODES),
    profile: z.enum(["safe", "balanced", "quality"]),
    candidate_selection_version: z.literal(CANDIDATE_SELECTION_VERSION),
    lexical_version: z.enum([LEXICAL_VERSIONS.exact, LEXICAL_VERSIONS.stemmed]).nullable(),
    fusion_version: z.enum(Object.values(FUSIONS).map((each) => each.version)).nullable(),
  })
  .openapi("Ranking", { description: "What found and ordered the memories; null: it had no part." });

export const DecisionReply = z
  .strictObject({
    id: z.uuid(),
    source_site: z.string().nullable(),
    source_kind: z.enum(["integration", "local"]),
    namespace: z.string().nullable(),
    ...scores,
    threshold: z.number().nullable(),
    decision: z.enum(["kept", "dropped"]),
    stage: z.enum(DECISION_STAGES),
    reason: z.enum(DECISION_REASONS),
  })
  .openapi("FilterDecision", {
    description: "Why one considered memory is in or out. It discloses the memory's source and namespace.",
  });

export const ExplainReply = z
  .strictObject({
    memory_id: z.uuid(),
    decision: z.enum(["kept", "dropped"]),
    stage: z.enum([...DECISION_STAGES, ...EARLIER_STAGES]),
    reason: z.enum([...DECISION_REASONS, ...EARLIER_REASONS]),
    place: z
      .int()
      .min(1)
      .nullable()
      .openapi({ description: "Among the considered memories; null for one that is not." }),
    scores: z
      .strictObject(scores)
      .nullable()
      .openapi({ description: "Exact, wherever it ranks; null for a memory that is expired or not eligible." }),
    gate: GateReply,
    ranking: RankingReply,
    scope: ScopeReply,
  })
  .openapi("Explanation", {
    description:
      "Stages in order: eligibility (expired; not_eligible: rejected, or what it was derived from does not hold), filters, pool, then those of the gate.",
  });

export const SearchReply = z
  .strictObject({
    count: z.int(),
    memories: z.array(HitReply),
    gate: GateReply,
    ranking: RankingReply,
    scope: ScopeReply,
    ...contextFields,
    timing_ms: z.strictObject({ embedding: z.number(), retrieval: z.number(), total: z.number() }),
    filter_decisions: z.array(DecisionReply).optional(),
  })
  .openapi("SearchResult");
