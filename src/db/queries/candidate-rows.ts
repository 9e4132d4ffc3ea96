import type { View } from "../../core/scope.js";
import { sql, type Sql } from "../sql.js";

/**
 * The from-item `c` that a view's candidates are read from, with the columns of table `candidates`: that table itself, or
 * for a past view what it would have held at `view.now`, with three more: `tags`, `external_id` and, in a workspace,
 * `last_visibility`. The conditions of `currentRecords` and `matchingRecords` go with either.
 *
 * The past is read from memories, revisions and edges; what has been erased since has none. The vector is that of the
 * content revision in the space `spaceId` whenever it was made: embedding again must not make the past unfindable.
 * Without a space it is none.
 * Every call reads all of the scope, so a statement has it once.
 */
export function candidateRows(view: View, spaceId: number | null): Sql {
  return view.past ? pastCandidates(view, spaceId) : sql`candidates as c`;
}

/**
 * Full joins, since they are never nested loops, and lookups behind `offset 0`, since each is one by the primary key: a
 * scope that the statistics do not know passes for a few rows, and the planner would go through all for each of them.
 */
function pastCandidates(view: View, spaceId: number | null): Sql {
  return sql`(
      with recursive stood as materialized (${memoriesThen(view)}),
      ends(memory_id, until) as (
        ${endsBySources(view.scopeId)}
        union all
        ${endsHandedOn(view.scopeId)}
      )
      select s.scope_id, s.memory_no, s.memory_id, s.revision, s.content_revision, s.agent_id, s.visibility,
             s.last_visibility, s.namespace, s.source_site, s.session_id, s.episode_type, s.importance, s.trust,
             s.event_at, least(s.expires_at, nullif(s.until, '-infinity')) as valid_until,
             s.review <> 'rejected' and s.until is distinct from '-infinity' as eligible, s.created_at,
             s.content_digest, s.exact_length, s.stemmed_length, b.space_id, l2_normalize(b.embedding) as embedding,
             s.tags, s.external_id
      from (
        select s.*, e.until
        from stood as s
        full join (select memory_id, min(until) as until from ends group by memory_id) as e
          on e.memory_id = s.memory_id
        offset 0
      ) as s
      left join lateral (
        select b.space_id, b.embedding
        from bindings as b
        where b.scope_id = ${view.scopeId}::bigint
          and b.space_id = ${spaceId}::bigint
          and b.memory_id = s.memory_id
          and b.content_revision = s.content_revision
        offset 0
      ) as b
        on true
      where s.memory_id is not null
    ) as c`;
}

/** Memories that were there and not deleted, each with its latest revision of then. */
function memoriesThen(view: View): Sql {
  return sql`
        select m.scope_id, m.memory_no, m.id as memory_id, m.agent_id, m.created_at, r.*, last.visibility as last_visibility
        from memories as m
        cross join lateral (
          select r.revision, r.content_revision, r.visibility, r.namespace, r.source_site, r.session_id, r.episode_type,
                 r.importance, r.trust, r.event_at, r.expires_at, r.review, r.content_digest, r.exact_length,
                 r.stemmed_length, r.tags, r.external_id
          from memory_revisions as r
          where r.scope_id = ${view.scopeId}::bigint
            and r.memory_id = m.id
            and r.recorded_at <= ${view.now}::timestamptz
          order by r.revision desc
          limit 1
        ) as r
        cross join lateral (${lastVisibility(view)}) as last
        where m.scope_id = ${view.scopeId}::bigint
          and m.created_at <= ${view.now}::timestamptz
          and (m.deleted_at is null or m.deleted_at > ${view.now}::timestamptz)`;
}

/** As the memory stands now, or last stood. */
function lastVisibility(view: View): Sql {
  if (view.viewer === null) return sql`select null::text as visibility`;
  return sql`
          select r.visibility
          from memory_revisions as r
          where r.scope_id = ${view.scopeId}::bigint
            and r.memory_id = m.id
          order by r.revision desc
          limit 1
        `;
}

/**
 * What its direct sources say of each derived memory, the same as `refreshFromSources` has it now: `-infinity` where one
 * was deleted, rejected or at another content (an erased one holds at no time, having no history), else the earliest of
 * their own ends. A memory that nothing limits has no row.
 */
function endsBySources(scopeId: number): Sql {
  const until = sql`min(case
               when s.found is null or s.review = 'rejected' or s.content_revision <> s.pinned then '-infinity'
               else s.expires_at
             end)`;
  return sql`
        select s.memory_id, ${until}
        from (
          select e.memory_id, e.source_content_revision as pinned, s.memory_id as found, s.review, s.content_revision,
                 s.expires_at
          from (
            select e.memory_id, e.source_id, e.source_content_revision
            from memory_sources as e
            where e.scope_id = ${scopeId}::bigint
          ) as e
          full join stood as s
            on s.memory_id = e.source_id
          offset 0
        ) as s
        where s.memory_id is not null
        group by s.memory_id
        having ${until} is not null`;
}

/**
 * A derived memory hands its end on to what was derived from it. Of all the ways of one length between two memories the
 * earliest end is kept, so there are as many rounds as derivations are deep, of at most one row for each memory.
 */
function endsHandedOn(scopeId: number): Sql {
  return sql`
        select d.memory_id, d.until
        from (
          select distinct on (e.memory_id) e.memory_id, u.until
          from ends as u
          cross join lateral (
            select e.memory_id
            from memory_sources as e
            where e.scope_id = ${scopeId}::bigint
              and e.source_id = u.memory_id
            offset 0
          ) as e
          order by e.memory_id, u.until
        ) as d`;
}
