import { defineRoute } from "./define-route.js";
import { IDEMPOTENCY_KEY, onceOf, replayHeader } from "./once.js";
import { DeleteFilter } from "./schemas/filter-tree.js";
import { toScopedFilters } from "./schemas/filters.js";
import { Ids } from "./schemas/ids.js";
import { checkScope, scopeFields, toScopeRequest } from "./schemas/scope.js";
import { z } from "./zod.js";

const DeleteBody = z
  .strictObject({
    ...scopeFields,
    ids: Ids.optional(),
    filter: DeleteFilter.optional(),
    dry_run: z.boolean().default(false).openapi({ description: "true: only tell which memories would be deleted." }),
  })
  .superRefine(checkScope)
  .superRefine((body, context) => {
    if ((body.ids === undefined) === (body.filter === undefined)) {
      context.addIssue({ code: "custom", path: ["ids"], message: "give exactly one of ids and filter" });
    }
  })
  .openapi("DeleteMemories");

export const deleteMemoriesRoute = defineRoute({
  method: "post",
  path: "/v1/memories/delete",
  summary: "Delete memories by id or filter",
  description: "All or none, at most 10,000. Ids that are not to be had are left out of the reply.",
  tag: "memories",
  capability: ["memory_read", "memory_write"],
  scope: "body",
  body: DeleteBody,
  headers: IDEMPOTENCY_KEY,
  replies: { 200: "What was deleted, or would be." },
  reply: z.strictObject({ dry_run: z.boolean(), count: z.int(), ids: z.array(z.uuid()) }).openapi("DeletedMemories"),
  errors: [
    "invalid_request",
    "invalid_json",
    "too_many_matches",
    "derivation_too_wide",
    "idempotency_conflict",
    "memory_erased",
    "database_unavailable",
  ],
  async handle({ body, headers, caller, services }) {
    const scope = toScopeRequest(body);
    const what =
      body.ids === undefined
        ? { filters: toScopedFilters({ ...body.filter, user_id: body.user_id, agent_id: body.agent_id }) }
        : { ids: body.ids };
    const once = onceOf(headers, "POST /v1/memories/delete", { body });
    const { result: ids, replayed } = await services.deleteMemories(caller, {
      ...scope,
      what,
      dryRun: body.dry_run,
      once,
    });
    return { headers: replayHeader(replayed), body: { dry_run: body.dry_run, count: ids.length, ids } };
  },
});
