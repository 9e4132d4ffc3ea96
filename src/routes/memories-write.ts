import { defineRoute } from "./define-route.js";
import { etag, expectedRevision, IF_MATCH } from "./if-match.js";
import { IDEMPOTENCY_KEY, onceOf, replayHeader } from "./once.js";
import { ExpectedRevision, ExpectedRevisionField, IdParams } from "./schemas/ids.js";
import { draftFields, memoryFields, MemoryReply, OnDuplicate } from "./schemas/memory.js";
import { presentMemory, toDraft, toPatch } from "./schemas/memory-mapping.js";
import { checkScope, scopeFields, toScopeRequest } from "./schemas/scope.js";
import { TimeReply } from "./schemas/time.js";
import { z } from "./zod.js";

const CreateBody = z
  .strictObject({ ...scopeFields, ...draftFields, on_duplicate: OnDuplicate })
  .superRefine(checkScope)
  .openapi("CreateMemory");

export const createMemoryRoute = defineRoute({
  method: "post",
  path: "/v1/memories",
  summary: "Store a memory",
  description:
    "Kept verbatim; no model is needed to write. An `external_id` that the author already uses in this scope replaces that memory (200).",
  tag: "memories",
  capability: "memory_write",
  scope: "body",
  body: CreateBody,
  headers: IDEMPOTENCY_KEY,
  replies: {
    201: "Stored.",
    200: "The memory with this external_id was replaced, or one with this content was found.",
  },
  reply: MemoryReply,
  errors: [
    "invalid_request",
    "invalid_json",
    "idempotency_conflict",
    "derivation_too_wide",
    "memory_erased",
    "payload_too_large",
    "unsupported_media_type",
    "database_unavailable",
  ],
  async handle({ body, headers, caller, services }) {
    const scope = toScopeRequest(body);
    const { outcome, memory, replayed } = await services.createMemory(caller, {
      ...scope,
      draft: toDraft(body, scope),
      onDuplicate: body.on_duplicate,
      once: onceOf(headers, "POST /v1/memories", { body }),
    });
    const replyHeaders = {
      ETag: etag(memory.revision),
      Location: `/v1/memories/${memory.id}`,
      ...replayHeader(replayed),
    };
    return { status: outcome === "created" ? 201 : 200, headers: replyHeaders, body: presentMemory(memory, scope) };
  },
});

const PatchBody = z
  .strictObject({
    ...scopeFields,
    ...z.object(memoryFields).partial().shape,
    expected_revision: ExpectedRevisionField,
  })
  .superRefine(checkScope)
  .openapi("UpdateMemory");

export const updateMemoryRoute = defineRoute({
  method: "patch",
  path: "/v1/memories/{id}",
  summary: "Replace fields of a memory",
  description:
    "The given fields are replaced whole; null clears one. A patch that changes nothing makes no new revision.",
  tag: "memories",
  capability: ["memory_read", "memory_write"],
  scope: "body",
  params: IdParams,
  body: PatchBody,
  headers: { ...IF_MATCH, ...IDEMPOTENCY_KEY },
  replies: { 200: "The memory as it is now." },
  reply: MemoryReply,
  errors: [
    "invalid_request",
    "invalid_json",
    "not_found",
    "revision_conflict",
    "external_id_conflict",
    "derivation_too_wide",
    "idempotency_conflict",
    "memory_erased",
    "database_unavailable",
  ],
  async handle({ body, params, headers, caller, services }) {
    const { user_id, workspace_id, agent_id, project, mission, expected_revision, ...fields } = body;
    const scope = toScopeRequest({ user_id, workspace_id, agent_id, project, mission });
    const { memory, replayed } = await services.updateMemory(caller, {
      ...scope,
      id: params.id,
      expectedRevision: expectedRevision(headers, expected_revision),
      patch: toPatch(fields, scope),
      once: onceOf(headers, "PATCH /v1/memories/{id}", { params, body }),
    });
    return { headers: { ETag: etag(memory.revision), ...replayHeader(replayed) }, body: presentMemory(memory, scope) };
  },
});

const DeleteQuery = z
  .strictObject({ ...scopeFields, expected_revision: ExpectedRevision.optional() })
  .superRefine(checkScope);

export const deleteMemoryRoute = defineRoute({
  method: "delete",
  path: "/v1/memories/{id}",
  summary: "Delete a memory",
  description: "One that is rejected, or whose sources do not hold, too. What is derived from it is no longer found.",
  tag: "memories",
  capability: "memory_write",
  scope: "query",
  params: IdParams,
  query: DeleteQuery,
  headers: { ...IF_MATCH, ...IDEMPOTENCY_KEY },
  replies: { 200: "Deleted." },
  reply: z.strictObject({ id: z.uuid(), revision: z.int(), deleted_at: TimeReply }).openapi("DeletedMemory"),
  errors: [
    "invalid_request",
    "not_found",
    "revision_conflict",
    "derivation_too_wide",
    "idempotency_conflict",
    "memory_erased",
    "database_unavailable",
  ],
  async handle({ query, params, headers, caller, services }) {
    const { result, replayed } = await services.deleteMemory(caller, {
      ...toScopeRequest(query),
      id: params.id,
      expectedRevision: expectedRevision(headers, query.expected_revision),
      once: onceOf(headers, "DELETE /v1/memories/{id}", { params, query }),
    });
    const { id, revision, deletedAt } = result;
    return { headers: replayHeader(replayed), body: { id, revision, deleted_at: deletedAt } };
  },
});
