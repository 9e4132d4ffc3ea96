import type { SearchMode } from "../core/search-mode.js";
import { defineRoute } from "./define-route.js";
import { presentExplanation, presentSearch } from "./present-search.js";
import { toScopeRequest } from "./schemas/scope.js";
import { ExplainBody, ExplainReply, FastSearchBody, SearchBody, SearchReply } from "./schemas/search.js";
import { toSearchRequest } from "./schemas/search-mapping.js";

const shared = {
  method: "post",
  tag: "search",
  capability: "memory_read",
  scope: "body",
} as const;

const errors = ["invalid_request", "invalid_json", "embedding_unavailable", "database_unavailable"] as const;

/** The search routes, with `traceEnabled` deciding whether every reply carries the decisions. */
export function searchRoutes(options: { readonly traceEnabled: boolean }) {
  return [
    defineRoute({
      ...shared,
      errors,
      path: "/v1/memories/search",
      summary: "Find the memories that are relevant to a query",
      description:
        "What comes back has passed the gate; `gate` says which, `explain` says why each memory is in or out. By meaning and by words, unless `mode` says otherwise.",
      body: SearchBody,
      replies: { 200: "The relevant memories, best first; none is an answer too." },
      reply: SearchReply,
      async handle({ body, caller, services }) {
        const explain = body.explain || options.traceEnabled;
        const found = await services.searchMemories(caller, {
          ...toSearchRequest(body, body.mode),
          tokenBudget: body.token_budget,
          explain,
        });
        return { body: presentSearch(found, toReply(body, body.mode), explain) };
      },
    }),
    defineRoute({
      ...shared,
      errors,
      path: "/v1/memories/search/fast",
      summary: "The same by vectors alone",
      description:
        "As `mode: semantic`: the same gate and the same relevance, without BM25 and its place in the ranking.",
      body: FastSearchBody,
      replies: { 200: "The relevant memories, best first; none is an answer too." },
      reply: SearchReply,
      async handle({ body, caller, services }) {
        const explain = body.explain || options.traceEnabled;
        const found = await services.searchMemories(caller, {
          ...toSearchRequest(body, "semantic"),
          tokenBudget: body.token_budget,
          explain,
        });
        return { body: presentSearch(found, toReply(body, "semantic"), explain) };
      },
    }),
    defineRoute({
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
        const explained = await services.explainMemory(caller, {
          ...toSearchRequest(body, body.mode),
          memoryId: body.memory_id,
        });
        return { body: presentExplanation(explained, toReply(body, body.mode)) };
      },
    }),
  ];
}

function toReply(body: Parameters<typeof toScopeRequest>[0], mode: SearchMode) {
  return { scope: toScopeRequest(body), mode };
}
