import { DECISION_REASONS, DECISION_STAGES, VERDICTS } from "../../core/apply-gate.js";
import { LIMIT_MAX, QUERY_MAX_BYTES } from "../../core/limits.js";
import { GATE_MODES, GATE_REASONS, GATE_SOURCES } from "../../core/resolve-gate.js";
import { z } from "../zod.js";
import { contextFields, TokenBudget } from "./context.js";
import { filterFields } from "./filters.js";
import { checkScope, ScopeReply, scopeFields } from "./scope.js";
import { text } from "./text.js";
import { Time, TimeReply } from "./time.js";

export const SearchBody = z
  .strictObject({
    ...scopeFields,
    ...filterFields,
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
    token_budget: TokenBudget,
    explain: z.boolean().default(false).openapi({
      description: "Also return `filter_decisions`, which disclose source and namespace of every considered memory.",
    }),
    as_of: Time.optional().openapi({ description: "What was known at this time. Not served yet: 501." }),
  })
  .superRefine(checkScope)
  .openapi("Search");

const scores = {
  semantic_similarity: z.number().min(-1).max(1).nullable().openapi({
    description: "Cosine of query and memory in the served space; null while the memory has no vector there.",
  }),
  lexical_score: z
    .number()
    .nullable()
    .openapi({ description: "BM25; null where no term matched or it was not computed." }),
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

const GateReply = z
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

export const SearchReply = z
  .strictObject({
    count: z.int(),
    memories: z.array(HitReply),
    gate: GateReply,
    scope: ScopeReply,
    ...contextFields,
    timing_ms: z.strictObject({ embedding: z.number(), retrieval: z.number(), total: z.number() }),
    filter_decisions: z.array(DecisionReply).optional(),
  })
  .openapi("SearchResult");
