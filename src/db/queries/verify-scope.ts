import type { Runnable } from "../database.js";
import { sql, type Sql } from "../sql.js";

/** One place where two things that must agree do not. */
export interface Disagreement {
  /** What was compared, as a word: `counter`, `revision`, `candidate`, `tag`, `eligibility`, `event`, `binding`. */
  readonly check: string;
  readonly memoryId: string | null;
  readonly detail: string;
}

/** Everything that SQL can compare by itself in one scope; the rows are the disagreements. */
export async function findDisagreements(db: Runnable, scopeId: number): Promise<Disagreement[]> {
  const found: Disagreement[] = [];
  for (const [check, statement] of Object.entries(checks(scopeId))) {
    const rows = await db.run<Omit<Disagreement, "check">>(sql`
      select memory_id as "memoryId",
             detail as "detail"
      from (${statement}) as disagreement(memory_id, detail)
      order by memory_id
    `);
    found.push(...rows.map((row) => ({ check, ...row })));
  }
  return found;
}

function checks(scopeId: number): Record<string, Sql> {
  const scope = sql`${scopeId}::bigint`;
  return {
    counter: counters(scope),
    revision: revisions(scope),
    candidate: candidates(scope),
    tag: tags(scope),
    eligibility: eligibility(scope),
    event: events(scope),
    binding: bindings(scope),
  };
}

function counters(scope: Sql): Sql {
  return sql`
    select null::uuid,
           'live_memories is ' || s.live_memories || ', counted ' || count(m.id) filter (where m.deleted_at is null)
    from scopes as s
    left join memories as m
      on m.scope_id = s.id
    where s.id = ${scope}
    group by s.id
    having s.live_memories <> count(m.id) filter (where m.deleted_at is null)
      or s.last_memory_no < coalesce(max(m.memory_no), 0)`;
}

function revisions(scope: Sql): Sql {
  return sql`
    select m.id, 'the current revision ' || m.revision || ' is missing or has another content revision'
    from memories as m
    left join memory_revisions as r
      on r.scope_id = m.scope_id
      and r.memory_id = m.id
      and r.revision = m.revision
    where m.scope_id = ${scope}
      and m.deleted_at is null
      and (r.revision is null or r.content_revision <> m.content_revision or r.review <> m.review)
    union all
    select r.memory_id, 'revision ' || r.revision || ' has another digest than its content'
    from memory_revisions as r
    where r.scope_id = ${scope}
      and r.content_digest <> encode(sha256(convert_to(r.content, 'UTF8')), 'hex')`;
}

function candidates(scope: Sql): Sql {
  return sql`
    select m.id, 'a live memory has no candidate'
    from memories as m
    where m.scope_id = ${scope}
      and m.deleted_at is null
      and not exists (
        select from candidates as c where c.scope_id = m.scope_id and c.memory_no = m.memory_no and c.memory_id = m.id)
    union all
    select c.memory_id, 'the candidate differs from its memory'
    from candidates as c
    left join memories as m
      on m.scope_id = c.scope_id
      and m.id = c.memory_id
      and m.deleted_at is null
    left join memory_revisions as r
      on r.scope_id = m.scope_id
      and r.memory_id = m.id
      and r.revision = m.revision
    where c.scope_id = ${scope}
      and (c.memory_no, c.revision, c.content_revision, c.agent_id, c.visibility, c.namespace, c.source_site, c.session_id,
           c.episode_type, c.importance, c.trust, c.event_at, c.valid_until, c.eligible, c.content_digest, c.exact_length,
           c.stemmed_length)
        is distinct from
          (m.memory_no, m.revision, m.content_revision, m.agent_id, r.visibility, r.namespace, r.source_site, r.session_id,
           r.episode_type, r.importance, r.trust, r.event_at, m.effective_valid_until,
           m.sources_valid and m.review <> 'rejected', r.content_digest, r.exact_length, r.stemmed_length)
    union all
    select c.memory_id, 'the candidate has another vector than its binding'
    from candidates as c
    left join bindings as b
      on b.scope_id = c.scope_id
      and b.space_id = c.space_id
      and b.memory_id = c.memory_id
      and b.content_revision = c.content_revision
    where c.scope_id = ${scope}
      and c.embedding is distinct from l2_normalize(b.embedding)`;
}

function tags(scope: Sql): Sql {
  return sql`
    select c.memory_id, 'the tag rows differ from the tags'
    from candidates as c
    join memory_revisions as r
      on r.scope_id = c.scope_id
      and r.memory_id = c.memory_id
      and r.revision = c.revision
    where c.scope_id = ${scope}
      and array(
        select t.tag from candidate_tags as t
        where t.scope_id = c.scope_id and t.memory_no = c.memory_no order by t.tag collate "C")
        <> array(select distinct tag collate "C" from unnest(r.tags) as tag order by 1)`;
}

/** One level is enough: what holds between every memory and its direct sources holds at any distance. */
function eligibility(scope: Sql): Sql {
  return sql`
    select m.id, 'sources_valid or effective_valid_until differ from what the sources say'
    from memories as m
    join memory_revisions as r
      on r.scope_id = m.scope_id
      and r.memory_id = m.id
      and r.revision = m.revision
    cross join lateral (
      select coalesce(bool_and(
               s.deleted_at is null and s.review <> 'rejected' and s.sources_valid
               and s.content_revision = e.source_content_revision), true) as valid,
             min(s.effective_valid_until) as until
      from memory_sources as e
      join memories as s
        on s.scope_id = e.scope_id
        and s.id = e.source_id
      where e.scope_id = m.scope_id
        and e.memory_id = m.id
    ) as source
    where m.scope_id = ${scope}
      and m.deleted_at is null
      and (m.sources_valid is distinct from source.valid
        or (source.valid and m.effective_valid_until is distinct from least(r.expires_at, source.until)))`;
}

function events(scope: Sql): Sql {
  return sql`
    select m.id, 'the last event is at revision ' || coalesce(last.revision::text, 'none') || ', the memory at ' || m.revision
    from memories as m
    left join lateral (
      select e.revision
      from change_events as e
      where e.scope_id = m.scope_id
        and e.memory_id = m.id
      order by e.seq desc
      limit 1
    ) as last on true
    where m.scope_id = ${scope}
      and last.revision is distinct from m.revision`;
}

function bindings(scope: Sql): Sql {
  return sql`
    select b.memory_id, 'a binding is of content revision ' || b.content_revision || ', which the memory never had'
    from bindings as b
    join memories as m
      on m.scope_id = b.scope_id
      and m.id = b.memory_id
    where b.scope_id = ${scope}
      and b.content_revision > m.content_revision`;
}
