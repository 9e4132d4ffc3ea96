import { sql, type Sql } from "../sql.js";

/** One level is enough: what holds between every memory and its direct sources holds at any distance. */
export function eligibility(scope: Sql): Sql {
  return sql`
    select m.id, 'sources_valid or effective_valid_until differ from what the sources say'
    from memories as m
    join memory_revisions as r
      on r.scope_id = m.scope_id
      and r.memory_id = m.id
      and r.revision = m.revision
    left join (
      select e.memory_id,
             bool_and(s.deleted_at is null and s.review <> 'rejected' and s.sources_valid
               and s.content_revision = e.source_content_revision) as valid,
             min(s.effective_valid_until) as until
      from memory_sources as e
      join memories as s
        on s.scope_id = e.scope_id
        and s.id = e.source_id
      where e.scope_id = ${scope}
      group by e.memory_id
    ) as source
      on source.memory_id = m.id
    where m.scope_id = ${scope}
      and m.deleted_at is null
      and (m.sources_valid <> coalesce(source.valid, true)
        or (m.sources_valid and m.effective_valid_until is distinct from least(r.expires_at, source.until)))`;
}

/** Depth grows along every edge, so there is no cycle. */
export function sources(scope: Sql): Sql {
  return sql`
    select e.memory_id, 'its depth is ' || m.depth || ', that of its source ' || s.id || ' is ' || s.depth
    from memory_sources as e
    join memories as m
      on m.scope_id = e.scope_id
      and m.id = e.memory_id
    join memories as s
      on s.scope_id = e.scope_id
      and s.id = e.source_id
    where e.scope_id = ${scope}
      and m.depth <= s.depth`;
}

/** Grants outlive a deletion, not an erasure. */
export function grants(scope: Sql): Sql {
  return sql`
    select g.memory_id, 'an erased memory has a grant'
    from grants as g
    join memories as m
      on m.scope_id = g.scope_id
      and m.id = g.memory_id
    where g.scope_id = ${scope}
      and m.erased_at is not null`;
}

/** Wherever a receipt names a memory with a revision, the memory got there. */
export function receipts(scope: Sql): Sql {
  return sql`
    select (named.what ->> 'id')::uuid,
           'a receipt of ' || t.operation || ' names revision ' || (named.what ->> 'revision')
             || ', the memory is at ' || coalesce(m.revision::text, 'none')
    from receipts as t
    cross join lateral jsonb_path_query(t.result, 'strict $.** ? (exists (@.id) && exists (@.revision))') as named(what)
    left join memories as m
      on m.scope_id = t.scope_id
      and m.id = (named.what ->> 'id')::uuid
    where t.scope_id = ${scope}
      and (m.revision is null or m.revision < (named.what ->> 'revision')::integer)`;
}
