import type { SearchMode } from "../core/search-mode.js";
import { defineRoute, type RouteInput } from "./define-route.js";
import { presentExplanation, presentSearch } from "./present-search.js";
import { toScopeRequest } from "./schemas/scope.js";
import { ExplainBody, ExplainReply, FastSearchBody, SearchBody, SearchReply } from "./schemas/search.js";
import { toSearchRequest } from "./schemas/search-mapping.js";
import type { z } from "./zod.js";

const shared = {
  method: "post",
  tag: "search",
  capability: "memory_read",
  scope: "body",
} as const;

const errors = ["invalid_request", "invalid_json", "embedding_unavailable", "database_unavailable"] as const;

const replies = { 200: "The relevant memories, best first; none is an answer too." };

/** The search routes, with `traceEnabled` deciding whether every reply carries the decisions. */
export function searchRoutes(options: { readonly traceEnabled: boolean }) {
  const search = async (
    { body, caller, services }: RouteInput<z.output<typeof FastSearchBody>, unknown, unknown>,
    mode: SearchMode,
  ): Promise<{ body: z.output<typeof SearchReply> }> => {
    const explain = body.explain || options.traceEnabled;
    const request = { ...toSearchRequest(body, mode), tokenBudget: body.token_budget, explain };
    return { body: presentSearch(await services.searchMemories(caller, request), toReply(body, mode), explain) };
  };
  return [
    defineRoute({
      ...shared,
      errors,
      replies,
      path: "/v1/memories/search",
      summary: "Find the memories that are relevant to a query",
      description:
        "What comes back has passed the gate; `gate` says which, `explain` says why each memory is in or out. By meaning and by words, unless `mode` says otherwise.",
      body: SearchBody,
      reply: SearchReply,
      handle: async (input) => await search(input, input.body.mode),
    }),
    defineRoute({
      ...shared,
      errors,
      replies,
      path: "/v1/memories/search/fast",
      summary: "The same by vectors alone",
      description:
        "As `mode: semantic`: the same gate and the same relevance, without BM25 and its place in the ranking.",
      body: FastSearchBody,
      reply: SearchReply,
      handle: async (input) => await search(input, "semantic"),
    }),
    explainRoute,
  ];
}

const explainRoute = defineRoute({
  ...shared,
  errors: [...errors, "not_found"],
  path: "/v1/memories/explain",
  summary: "Say why one memory is in or out of a search",
  description:
    "Takes the body of the search and a `memory_id`, and scores that memory exactly, wherever it ranks. 404 for one that is unknown, deleted, of another scope or hidden from the caller.",
  body: ExplainBody,
  replies: { 200: "The decision, its stage and its reason." },
  reply: ExplainReply,
  async handle({ body, caller, services }) {
    const request = { ...toSearchRequest(body, body.mode), memoryId: body.memory_id };
    return { body: presentExplanation(await services.explainMemory(caller, request), toReply(body, body.mode)) };
  },
});

function toReply(body: Parameters<typeof toScopeRequest>[0], mode: SearchMode) {
  return { scope: toScopeRequest(body), mode };
}
