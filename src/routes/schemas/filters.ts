import { EPISODE_TYPE_MAX_BYTES, NAME_MAX_BYTES, TAG_MAX_BYTES, TAGS_MAX } from "../../core/limits.js";
import type { FilterTree } from "../../core/filter-tree.js";
import type { Filters } from "../../core/scope.js";
import { z } from "../zod.js";
import { Namespace } from "./memory.js";
import { text } from "./text.js";
import { Time } from "./time.js";

/** A list in a body, or a repeated parameter in a query string. */
function list<T extends z.ZodType<unknown, string>>(item: T) {
  return z
    .preprocess((value) => (typeof value === "string" ? [value] : value), z.array(item).min(1).max(TAGS_MAX))
    .optional();
}

/** The flat filters, the same in search, listing and delete. */
export const filterFields = {
  external_id: text(NAME_MAX_BYTES).optional(),
  namespace_scope: Namespace.optional().openapi({
    description: "This namespace and everything below it, by whole segments.",
  }),
  source_site: text(NAME_MAX_BYTES).optional(),
  session_id: text(NAME_MAX_BYTES).optional(),
  episode_types: list(text(EPISODE_TYPE_MAX_BYTES)),
  tags_any: list(text(TAG_MAX_BYTES)),
  tags_all: list(text(TAG_MAX_BYTES)),
  event_from: Time.optional().openapi({ description: "`event_at` at this time or later." }),
  event_before: Time.optional().openapi({ description: "`event_at` before this time." }),
};

type FlatFilters = z.output<z.ZodObject<typeof filterFields>>;

export function toFilters(fields: FlatFilters): Filters {
  return {
    externalId: fields.external_id,
    namespaceScope: fields.namespace_scope,
    sourceSite: fields.source_site,
    sessionId: fields.session_id,
    episodeTypes: fields.episode_types,
    tagsAny: fields.tags_any,
    tagsAll: fields.tags_all,
    eventFrom: fields.event_from,
    eventBefore: fields.event_before,
  };
}

/** Filters with the tree, and with the provenance filter that `agent_id` is beside `user_id`; in a workspace it names the caller instead. */
export function toScopedFilters(
  fields: FlatFilters & {
    readonly user_id?: string | undefined;
    readonly agent_id?: string | undefined;
    readonly tree?: FilterTree | undefined;
  },
): Filters {
  const agentId = fields.user_id === undefined ? undefined : fields.agent_id;
  return { ...toFilters(fields), agentId, tree: fields.tree };
}
