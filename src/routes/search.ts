import { notImplemented } from "../core/errors.js";
import { defineRoute, type RouteInput } from "./define-route.js";
import { presentSearch } from "./present-search.js";
import { toScopedFilters } from "./schemas/filters.js";
import { toScopeRequest } from "./schemas/scope.js";
import { SearchBody, SearchReply } from "./schemas/search.js";
import type { z } from "./zod.js";

const ERRORS = [
  "invalid_request",
  "invalid_json",
  "not_implemented",
  "embedding_unavailable",
  "database_unavailable",
] as const;

/** Both search routes, with `traceEnabled` deciding whether every reply carries the decisions. */
export function searchRoutes(options: { readonly traceEnabled: boolean }) {
  const handle = async ({ body, caller, services }: RouteInput<z.output<typeof SearchBody>, unknown, unknown>) => {
    if (body.as_of !== undefined) throw notImplemented("as_of is not served yet");
    const scope = toScopeRequest(body);
    const found = await services.searchMemories(caller, {
      ...scope,
      query: body.query,
      threshold: body.threshold,
      gateMode: body.gate_mode,
      limit: body.limit,
      tokenBudget: body.token_budget,
      filters: toScopedFilters(body),
    });
    return { body: presentSearch(found, scope, body.explain || options.traceEnabled) };
  };
  const shared = {
    method: "post",
    tag: "search",
    capability: "memory_read",
    scope: "body",
    body: SearchBody,
    reply: SearchReply,
    errors: ERRORS,
    handle,
  } as const;
  return [
    defineRoute({
      ...shared,
      path: "/v1/memories/search",
      summary: "Find the memories that are relevant to a query",
      description:
        "What comes back has passed the gate; `gate` says which, `explain` says why each memory is in or out.",
      replies: { 200: "The relevant memories, best first; none is an answer too." },
    }),
    defineRoute({
      ...shared,
      path: "/v1/memories/search/fast",
      summary: "The same by vectors alone",
      replies: { 200: "The relevant memories, best first; none is an answer too." },
    }),
  ];
}
