import { PAGE_DEFAULT, PAGE_MAX, PAGE_MIN } from "../core/limits.js";
import { readCursor, writeCursor } from "./cursor.js";
import { defineRoute } from "./define-route.js";
import { etag } from "./if-match.js";
import { countQuery } from "./schemas/count-query.js";
import { FilterQuery } from "./schemas/filter-tree.js";
import { filterFields, toScopedFilters } from "./schemas/filters.js";
import { IdParams, Ids } from "./schemas/ids.js";
import { MemoryReply } from "./schemas/memory.js";
import { presentMemory } from "./schemas/memory-mapping.js";
import { checkScope, scopeFields, toScopeRequest } from "./schemas/scope.js";
import { z } from "./zod.js";

const ScopeQuery = z.strictObject(scopeFields).superRefine(checkScope);

export const getMemoryRoute = defineRoute({
  method: "get",
  path: "/v1/memories/{id}",
  summary: "Read a memory",
  description:
    "404 alike for an unknown, deleted, expired or rejected memory, for one whose sources do not hold any more, and for one of another scope.",
  tag: "memories",
  capability: "memory_read",
  scope: "query",
  params: IdParams,
  query: ScopeQuery,
  replies: { 200: "The memory." },
  reply: MemoryReply,
  errors: ["invalid_request", "not_found", "database_unavailable"],
  async handle({ params, query, caller, services }) {
    const scope = toScopeRequest(query);
    const memory = await services.getMemory(caller, { ...scope, id: params.id });
    return { headers: { ETag: etag(memory.revision) }, body: presentMemory(memory, scope) };
  },
});

export const memoryHistoryRoute = defineRoute({
  method: "get",
  path: "/v1/memories/{id}/history",
  summary: "Read every revision of a memory, newest first",
  tag: "memories",
  capability: "memory_read",
  scope: "query",
  params: IdParams,
  query: ScopeQuery,
  replies: { 200: "The revisions." },
  reply: z.strictObject({ revisions: z.array(MemoryReply) }).openapi("MemoryHistory"),
  errors: ["invalid_request", "not_found", "database_unavailable"],
  async handle({ params, query, caller, services }) {
    const scope = toScopeRequest(query);
    const revisions = await services.memoryHistory(caller, { ...scope, id: params.id });
    return { body: { revisions: revisions.map((memory) => presentMemory(memory, scope)) } };
  },
});

const ListQuery = z
  .strictObject({
    ...scopeFields,
    ...filterFields,
    filter: FilterQuery.optional(),
    limit: countQuery(PAGE_MIN, PAGE_MAX, PAGE_DEFAULT),
    cursor: z.string().max(512).optional().openapi({ description: "`next_cursor` of the page before." }),
  })
  .superRefine(checkScope);

export const listMemoriesRoute = defineRoute({
  method: "get",
  path: "/v1/memories",
  summary: "List memories, newest first",
  description: "Ordered by created_at, then id. A cursor goes on only with the same scope and filters.",
  tag: "memories",
  capability: "memory_read",
  scope: "query",
  query: ListQuery,
  replies: { 200: "One page." },
  reply: z.strictObject({ memories: z.array(MemoryReply), next_cursor: z.string().nullable() }).openapi("MemoryPage"),
  errors: ["invalid_request", "invalid_cursor", "database_unavailable"],
  async handle({ query, caller, services }) {
    const { limit, cursor, ...listing } = query;
    const scope = toScopeRequest(query);
    const after = cursor === undefined ? undefined : readCursor(cursor, listing);
    const filters = toScopedFilters({ ...query, tree: query.filter });
    const page = await services.listMemories(caller, { ...scope, filters, after, limit });
    return {
      body: {
        memories: page.memories.map((memory) => presentMemory(memory, scope)),
        next_cursor: page.next === undefined ? null : writeCursor(page.next, listing),
      },
    };
  },
});

const GetBody = z
  .strictObject({ ...scopeFields, ids: Ids })
  .superRefine(checkScope)
  .openapi("GetMemories");

export const getMemoriesRoute = defineRoute({
  method: "post",
  path: "/v1/memories/get",
  summary: "Read many memories by id",
  description: "In the order asked for; null for one that is not to be had.",
  tag: "memories",
  capability: "memory_read",
  scope: "body",
  body: GetBody,
  replies: { 200: "The memories." },
  reply: z.strictObject({ memories: z.array(MemoryReply.nullable()) }).openapi("Memories"),
  errors: ["invalid_request", "invalid_json", "database_unavailable"],
  async handle({ body, caller, services }) {
    const scope = toScopeRequest(body);
    const memories = await services.getMemories(caller, { ...scope, ids: body.ids });
    return { body: { memories: memories.map((memory) => (memory === null ? null : presentMemory(memory, scope))) } };
  },
});
