import { defineRoute } from "./define-route.js";
import { etag, expectedRevision, IF_MATCH } from "./if-match.js";
import { IDEMPOTENCY_KEY, onceOf, replayHeader } from "./once.js";
import { ExpectedRevisionField, IdParams } from "./schemas/ids.js";
import { MemoryReply } from "./schemas/memory.js";
import { presentMemory } from "./schemas/memory-mapping.js";
import { checkScope, scopeFields, toScopeRequest } from "./schemas/scope.js";
import { z } from "./zod.js";

const REVIEW_BY_ACTION = { approve: "approved", reject: "rejected", reset: "none" } as const;

const ReviewBody = z
  .strictObject({
    ...scopeFields,
    action: z.enum(Object.keys(REVIEW_BY_ACTION) as (keyof typeof REVIEW_BY_ACTION)[]),
    expected_revision: ExpectedRevisionField,
  })
  .superRefine(checkScope)
  .openapi("ReviewMemory");

export const reviewRoute = defineRoute({
  method: "post",
  path: "/v1/memories/{id}/review",
  summary: "Approve or reject a memory, or take that back",
  description:
    "A rejected memory is found by nothing, and neither is what is derived from it, until it is approved or reset; it can be reviewed and deleted all the while. The state that it has already makes no new revision.",
  tag: "memories",
  capability: ["memory_read", "memory_review"],
  scope: "body",
  params: IdParams,
  body: ReviewBody,
  headers: { ...IF_MATCH, ...IDEMPOTENCY_KEY },
  replies: { 200: "The memory as it is now." },
  reply: MemoryReply,
  errors: [
    "invalid_request",
    "invalid_json",
    "not_found",
    "revision_conflict",
    "derivation_too_wide",
    "idempotency_conflict",
    "memory_erased",
    "database_unavailable",
  ],
  async handle({ body, params, headers, caller, services }) {
    const scope = toScopeRequest(body);
    const { memory, replayed } = await services.reviewMemory(caller, {
      ...scope,
      id: params.id,
      expectedRevision: expectedRevision(headers, body.expected_revision),
      review: REVIEW_BY_ACTION[body.action],
      once: onceOf(headers, "POST /v1/memories/{id}/review", { params, body }),
    });
    return { headers: { ETag: etag(memory.revision), ...replayHeader(replayed) }, body: presentMemory(memory, scope) };
  },
});
