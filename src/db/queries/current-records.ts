import type { Filters, View } from "../../core/scope.js";
import { joinSql, sql, type Sql } from "../sql.js";
import { treeCondition } from "./filter-tree.js";

/**
 * `current_records_v1`: the candidates `c` that a request may see, before any limit.
 * Deleted memories have no candidate; rejected ones and those whose sources do not hold are not eligible; expired ones,
 * by their own time or a source's, are out at the request's one clock. In a past view `c` is `candidateRows`.
 */
export function currentRecords(view: View): Sql {
  return sql`${liveRecords(view)}
      and (c.valid_until is null or c.valid_until > ${view.now}::timestamptz)
      and c.eligible`;
}

/**
 * The candidates `c` that are not deleted; a workspace's memories are seen by whom their visibility allows: in the past
 * both by that of then and by the last one, so that neither what was private then nor what has been made so is shown.
 */
export function liveRecords(view: View): Sql {
  const visible = view.viewer === null ? sql`` : sql`and ${visibleTo(view.viewer, sql`c.visibility`)}`;
  const still = view.viewer === null || !view.past ? sql`` : sql`and ${visibleTo(view.viewer, sql`c.last_visibility`)}`;
  return sql`c.scope_id = ${view.scopeId}::bigint
      ${visible}${still}`;
}

/** `visibility` of the candidate `c`, or of one of its revisions: a workspace's memory is seen by every agent, by its author, or by its author and the agents that the author granted. */
export function visibleTo(agent: string, visibility: Sql): Sql {
  return sql`(${visibility} = 'workspace'
        or c.agent_id = ${agent}::text
        or (${visibility} = 'restricted' and exists (
          select from grants as g
          where g.scope_id = c.scope_id
            and g.memory_id = c.memory_id
            and g.agent_id = ${agent}::text)))`;
}

/** {@link currentRecords} and the request's filters. */
export function matchingRecords(view: View, filters: Filters): Sql {
  return joinSql([currentRecords(view), ...filterConditions(view, filters)], "\n      and ");
}

/** One condition on `c` for each filter of the request; none where it has none. */
export function filterConditions(view: View, filters: Filters): Sql[] {
  const conditions: (Sql | undefined)[] = [
    when(filters.agentId, (agent) => sql`c.agent_id = ${agent}::text`),
    when(filters.authors, (authors) => {
      if ("not" in authors) return sql`c.agent_id is distinct from ${authors.not}::text`;
      return sql`c.agent_id = any(${authors.among}::text[])`;
    }),
    when(filters.externalId, (external) => externalIdIs(view, external)),
    when(filters.namespaceScope, (scope) => {
      return sql`(c.namespace = ${scope}::text or starts_with(c.namespace, ${`${scope}/`}::text))`;
    }),
    when(filters.sourceSite, (site) => sql`c.source_site = ${site}::text`),
    when(filters.sessionId, (session) => sql`c.session_id = ${session}::text`),
    when(filters.episodeTypes, (types) => sql`c.episode_type = any(${types}::text[])`),
    when(filters.tagsAny, (tags) => sql`exists (${tagged(view, sql`t.tag = any(${tags}::text[])`)})`),
    ...(filters.tagsAll ?? []).map((tag) => sql`exists (${tagged(view, sql`t.tag = ${tag}::text`)})`),
    when(filters.eventFrom, (from) => sql`c.event_at >= ${from}::timestamptz`),
    when(filters.eventBefore, (before) => sql`c.event_at < ${before}::timestamptz`),
    when(filters.tree, (tree) => treeCondition(tree, (condition) => tagged(view, condition))),
  ];
  return conditions.filter((each) => each !== undefined);
}

function when<T>(value: T | undefined, condition: (value: T) => Sql): Sql | undefined {
  return value === undefined ? undefined : condition(value);
}

function tagged(view: View, condition: Sql): Sql {
  if (view.past) return sql`select from unnest(c.tags) as t(tag) where ${condition}`;
  return sql`select from candidate_tags as t where t.scope_id = ${view.scopeId}::bigint and t.memory_no = c.memory_no and ${condition}`;
}

function externalIdIs(view: View, externalId: string): Sql {
  if (view.past) return sql`c.external_id = ${externalId}::text`;
  return sql`c.memory_id in (
        select e.id
        from memories as e
        where e.scope_id = ${view.scopeId}::bigint
          and e.external_id = ${externalId}::text
          and e.deleted_at is null)`;
}
