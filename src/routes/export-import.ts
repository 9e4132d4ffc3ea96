import { partitionOf } from "../services/index.js";
import { defineRoute, NDJSON } from "./define-route.js";
import { parseImport } from "./import-lines.js";
import { IDEMPOTENCY_KEY, onceOf, replayHeader } from "./once.js";
import { MIB } from "./request-body.js";
import { ExportLine } from "./schemas/export-lines.js";
import { toLine } from "./schemas/export-mapping.js";
import { checkScope, scopeFields, toScopeRequest } from "./schemas/scope.js";
import { z } from "./zod.js";

const ScopeQuery = z.strictObject(scopeFields).superRefine(checkScope);

export const exportRoute = defineRoute({
  method: "get",
  path: "/v1/export",
  summary: "Export a scope",
  description:
    "All of the scope as it is at one moment, one canonical JSON document a line: a header, then every memory by id, deleted and erased ones included, " +
    "each followed by its revisions. The same state gives the same bytes, whatever the scope is called; vectors, journal and receipts are not part of it. " +
    "In a workspace it holds every agent's memories and needs a key that is tied to no agent; beside `user_id` an `agent_id` does not narrow it.",
  tag: "data",
  capability: "memory_read",
  scope: "query",
  query: ScopeQuery,
  replies: { 200: "The lines." },
  reply: ExportLine,
  replyType: NDJSON,
  errors: ["invalid_request", "forbidden", "database_unavailable"],
  async handle({ query, caller, services, signal }) {
    return { stream: await services.exportScope(caller, { ...toScopeRequest(query), toLine, signal }) };
  },
});

const ImportReply = z
  .strictObject({
    created: z.int(),
    updated: z.int().openapi({ description: "Were there with an earlier revision." }),
    unchanged: z.int().openapi({ description: "Were there as they are." }),
  })
  .openapi("Imported");

export const importRoute = defineRoute({
  method: "post",
  path: "/v1/import",
  summary: "Import an export",
  description:
    "Restores memories with their ids, times and histories, all or none. What is there already has to be the same (409 otherwise), and what was erased is not revived. " +
    "A large export is sent in parts: each begins with the header, and a memory's lines stay together. Reviewed memories need memory_review too; in a workspace the key must be tied to no agent.",
  tag: "data",
  capability: "memory_write",
  scope: "query",
  query: ScopeQuery,
  body: z.string().openapi("Import", { description: "Lines as `GET /v1/export` gives them, each an ExportLine." }),
  bodyType: NDJSON,
  bodyLimit: 16 * MIB,
  headers: IDEMPOTENCY_KEY,
  replies: { 200: "Restored." },
  reply: ImportReply,
  errors: [
    "invalid_request",
    "forbidden",
    "import_conflict",
    "derivation_too_wide",
    "idempotency_conflict",
    "payload_too_large",
    "unsupported_media_type",
    "database_unavailable",
  ],
  async handle({ query, body, headers, caller, services }) {
    const scope = toScopeRequest(query);
    const { result, replayed } = await services.importScope(caller, {
      ...scope,
      memories: parseImport(body, partitionOf(scope.names)),
      once: onceOf(headers, "POST /v1/import", { query, body }),
    });
    const { created, updated, unchanged } = result;
    return { headers: replayHeader(replayed), body: { created, updated, unchanged } };
  },
});
