import { defineRoute } from "./define-route.js";
import { etag, expectedRevision } from "./if-match.js";
import { ExpectedRevision, IdParams } from "./schemas/ids.js";
import { memoryFields, MemoryReply } from "./schemas/memory.js";
import { presentMemory, toDraft, toPatch } from "./schemas/memory-mapping.js";
import { checkScope, scopeFields, toScopeRequest } from "./schemas/scope.js";
import { TimeReply } from "./schemas/time.js";
import { z } from "./zod.js";

const CreateBody = z
  .strictObject({ ...scopeFields, ...memoryFields })
  .superRefine(checkScope)
  .openapi("CreateMemory");

export const createMemoryRoute = defineRoute({
  method: "post",
  path: "/v1/memories",
  summary: "Store a memory",
  description:
    "Kept verbatim; no model is needed to write. An `external_id` that the author already uses in this scope replaces that memory (200).",
  tag: "memories",
  body: CreateBody,
  replies: { 201: "Stored.", 200: "The memory with this external_id was replaced." },
  reply: MemoryReply,
  errors: ["invalid_request", "invalid_json", "payload_too_large", "unsupported_media_type", "database_unavailable"],
  async handle({ body, caller, services }) {
    const scope = toScopeRequest(body);
    const { outcome, memory } = await services.createMemory(caller, { ...scope, draft: toDraft(body, scope) });
    const headers = { ETag: etag(memory.revision), Location: `/v1/memories/${memory.id}` };
    return { status: outcome === "created" ? 201 : 200, headers, body: presentMemory(memory, scope) };
  },
});

const PatchBody = z
  .strictObject({
    ...scopeFields,
    ...z.object(memoryFields).partial().shape,
    expected_revision: z
      .int()
      .min(1)
      .optional()
      .openapi({ description: "Refuse (409) unless the memory is at this revision." }),
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
  params: IdParams,
  body: PatchBody,
  headers: { "If-Match": "The ETag that the memory must have." },
  replies: { 200: "The memory as it is now." },
  reply: MemoryReply,
  errors: [
    "invalid_request",
    "invalid_json",
    "not_found",
    "revision_conflict",
    "external_id_conflict",
    "database_unavailable",
  ],
  async handle({ body, params, headers, caller, services }) {
    const { user_id, workspace_id, agent_id, project, mission, expected_revision, ...fields } = body;
    const scope = toScopeRequest({ user_id, workspace_id, agent_id, project, mission });
    const memory = await services.updateMemory(caller, {
      ...scope,
      id: params.id,
      expectedRevision: expectedRevision(headers, expected_revision),
      patch: toPatch(fields, scope),
    });
    return { headers: { ETag: etag(memory.revision) }, body: presentMemory(memory, scope) };
  },
});

const DeleteQuery = z
  .strictObject({ ...scopeFields, expected_revision: ExpectedRevision.optional() })
  .superRefine(checkScope);

export const deleteMemoryRoute = defineRoute({
  method: "delete",
  path: "/v1/memories/{id}",
  summary: "Delete a memory",
  tag: "memories",
  params: IdParams,
  query: DeleteQuery,
  headers: { "If-Match": "The ETag that the memory must have." },
  replies: { 200: "Deleted." },
  reply: z.strictObject({ id: z.uuid(), revision: z.int(), deleted_at: TimeReply }).openapi("DeletedMemory"),
  errors: ["invalid_request", "not_found", "revision_conflict", "database_unavailable"],
  async handle({ query, params, headers, caller, services }) {
    const deleted = await services.deleteMemory(caller, {
      ...toScopeRequest(query),
      id: params.id,
      expectedRevision: expectedRevision(headers, query.expected_revision),
    });
    return { body: { id: deleted.id, revision: deleted.revision, deleted_at: deleted.deletedAt.toISOString() } };
  },
});
