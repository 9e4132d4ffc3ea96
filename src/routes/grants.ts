import { NAME_MAX_BYTES } from "../core/limits.js";
import { defineRoute, type Method } from "./define-route.js";
import { IDEMPOTENCY_KEY, onceOf, replayHeader } from "./once.js";
import { checkScope, scopeFields, toScopeRequest } from "./schemas/scope.js";
import { text } from "./schemas/text.js";
import { z } from "./zod.js";

const PATH = "/v1/memories/{id}/grants/{agent_id}";

const GrantParams = z.strictObject({
  id: z.string().openapi({ format: "uuid", param: { name: "id", in: "path" } }),
  agent_id: text(NAME_MAX_BYTES).openapi({ param: { name: "agent_id", in: "path" } }),
});

const GrantReply = z.strictObject({ id: z.uuid(), agent_id: z.string(), granted: z.boolean() }).openapi("Grant");

export const putGrantRoute = grantRoute("put", "Let an agent see a restricted memory");
export const deleteGrantRoute = grantRoute("delete", "No longer let an agent see a restricted memory");

function grantRoute(method: Extract<Method, "put" | "delete">, summary: string) {
  return defineRoute({
    method,
    path: PATH,
    summary,
    description:
      "For memories of workspaces, by their author: `agent_id` of the query is the author, that of the path the grantee.",
    tag: "memories",
    capability: "memory_write",
    scope: "query",
    params: GrantParams,
    query: z.strictObject(scopeFields).superRefine(checkScope),
    headers: IDEMPOTENCY_KEY,
    replies: { 200: "How it stands now." },
    reply: GrantReply,
    errors: [
      "invalid_request",
      "forbidden",
      "not_found",
      "idempotency_conflict",
      "memory_erased",
      "database_unavailable",
    ],
    async handle({ params, query, headers, caller, services }) {
      const { result, replayed } = await services.setGrant(caller, {
        ...toScopeRequest(query),
        id: params.id,
        grantee: params.agent_id,
        granted: method === "put",
        once: onceOf(headers, `${method.toUpperCase()} ${PATH}`, { params, query }),
      });
      return { headers: replayHeader(replayed), body: { ...result, agent_id: params.agent_id } };
    },
  });
}
