import type { Authors } from "../../core/scope.js";
import type { SearchMode } from "../../core/search-mode.js";
import type { SearchRequest } from "../../services/index.js";
import type { z } from "../zod.js";
import { toScopedFilters } from "./filters.js";
import { toScopeRequest } from "./scope.js";
import type { searchFields } from "./search.js";

type SearchFields = z.output<z.ZodObject<typeof searchFields>>;

export function toSearchRequest(body: SearchFields, mode: SearchMode): Omit<SearchRequest, "explain"> {
  return {
    ...toScopeRequest(body),
    query: body.query,
    mode,
    threshold: body.threshold,
    gateMode: body.gate_mode,
    limit: body.limit,
    filters: { ...toScopedFilters({ ...body, tree: body.filter }), authors: toAuthors(body) },
    asOf: body.as_of,
  };
}

/** A workspace has a calling agent, or the scope fields were refused. */
function toAuthors({ agent_scope: scope, agent_id: self = "" }: SearchFields): Authors | undefined {
  if (scope === undefined || scope === "all") return undefined;
  if (scope === "others") return { not: self };
  return { among: scope === "self" ? [self] : scope };
}
