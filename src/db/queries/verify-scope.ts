import type { Runnable } from "../database.js";
import { sql, type Sql } from "../sql.js";
import { eligibility, grants, receipts, sources } from "./verify-links.js";
import { surplusPastPostings } from "./verify-past-postings.js";
import { surplusPostings } from "./verify-postings.js";

/** One place where two things that must agree do not. */
export interface Disagreement {
  /** What was compared, in a word: `chain`, `counter`, `revision`, `candidate`, `vector`, `tag`, `posting`, `receipt` … */
  readonly check: string;
  readonly memoryId: string | null;
  readonly detail: string;
}

type Check = (scope: Sql) => Sql;

const CHECKS: Readonly<Record<string, Check>> = {
  counter: counters,
  revision: revisions,
  event: events,
  binding: bindings,
  candidate: candidates,
  vector: vectors,
  tag: tags,
  posting: surplusPostings,
  past_posting: surplusPastPostings,
  eligibility,
  source: sources,
  grant: grants,
  receipt: receipts,
};

/** Everything that SQL can compare by itself in one scope, check by check; at most `limit` rows of each. */
export async function* findDisagreements(tx: Runnable, scopeId: number, limit: number): AsyncGenerator<Disagreement> {
  await setNestedLoops(tx, "off");
  for (const [check, rowsOf] of Object.entries(CHECKS)) {
    const rows = await tx.run<Omit<Disagreement, "check">>(sql`
      select memory_id as "memoryId",
             detail as "detail"
      from (${rowsOf(sql`${scopeId}::bigint`)}) as disagreement(memory_id, detail)
      order by memory_id, detail
      limit ${limit}::integer
    `);
    for (const row of rows) yield { check, ...row };
  }
  await setNestedLoops(tx, "on");
}

/**
 * Every check goes through a whole scope. Where the statistics know only small ones, the planner takes nested loops:
 * the postings of 1,500 memories took 400 s, with hash joins 0.1 s.
 */
async function setNestedLoops(tx: Runnable, state: "on" | "off"): Promise<void> {
  await tx.run(sql`select set_config('enable_nestloop', ${state}, true)`);
}

function counters(scope: Sql): Sql {
  return sql`
    select null::uuid, wrong.detail
    from scopes as s
    cross join lateral (
      select count(*) filter (where m.deleted_at is null) as live,
             coalesce(max(m.memory_no), 0) as last_no
      from memories as m
      where m.scope_id = s.id
    ) as counted
    cross join lateral (values
      (s.live_memories <> counted.live, 'live_memories is ' || s.live_memories || ', counted ' || counted.live),
      (s.last_memory_no < counted.last_no, 'last_memory_no is ' || s.last_memory_no || ', in use ' || counted.last_no)
    ) as wrong(holds, detail)
    where s.id = ${scope}
      and wrong.holds`;
}

function revisions(scope: Sql): Sql {
  return sql`
    select m.id, 'the memory differs from its current revision ' || m.revision || ', or that is missing'
    from memories as m
    left join memory_revisions as r
      on r.scope_id = m.scope_id
      and r.memory_id = m.id
      and r.revision = m.revision
    where m.scope_id = ${scope}
      and m.deleted_at is null
      and (m.content_revision, m.review, m.external_id, m.updated_at)
        is distinct from (r.content_revision, r.review, r.external_id, r.recorded_at)
    union all
    select m.id, 'the memory is at revision ' || m.revision || ' and has ' || kept.count || ' before a deletion'
    from memories as m
    cross join lateral (
      select count(*) as count
      from memory_revisions as r
      where r.scope_id = m.scope_id
        and r.memory_id = m.id
    ) as kept
    where m.scope_id = ${scope}
      and m.erased_at is null
      and kept.count <> m.revision - case when m.deleted_at is null then 0 else 1 end
    union all
    select r.memory_id, 'revision ' || r.revision || ' has another digest than its content'
    from memory_revisions as r
    where r.scope_id = ${scope}
      and r.content_digest is distinct from encode(sha256(convert_to(r.content, 'UTF8')), 'hex')`;
}

function events(scope: Sql): Sql {
  return sql`
    select coalesce(m.id, last.memory_id),
           'the last event is of revision ' || coalesce(last.revision::text, 'none')
             || ', the memory is at ' || coalesce(m.revision::text, 'none')
    from (select id, revision from memories where scope_id = ${scope}) as m
    full join (
      select distinct on (e.memory_id) e.memory_id, e.revision
      from change_events as e
      where e.scope_id = ${scope}
      order by e.memory_id, e.seq desc
    ) as last
      on last.memory_id = m.id
    where last.revision is distinct from m.revision`;
}

function bindings(scope: Sql): Sql {
  return sql`
    select b.memory_id, 'a binding is of content revision ' || b.content_revision || ', which the memory never had'
    from bindings as b
    where b.scope_id = ${scope}
      and not exists (
        select from memory_revisions as r
        where r.scope_id = b.scope_id
          and r.memory_id = b.memory_id
          and r.content_revision = b.content_revision)`;
}

function candidates(scope: Sql): Sql {
  return sql`
    select coalesce(m.id, c.memory_id),
           case
             when c.memory_id is null then 'a live memory has no candidate'
             when m.id is null then 'a memory that is not live has a candidate'
             else 'the candidate differs from its memory'
           end
    from (
      select m.id, m.memory_no, m.revision, m.content_revision, m.agent_id, r.visibility, r.namespace, r.source_site,
             r.session_id, r.episode_type, r.importance, r.trust, r.event_at, m.effective_valid_until as valid_until,
             m.sources_valid and m.review <> 'rejected' as eligible, m.created_at, r.content_digest, r.exact_length,
             r.stemmed_length
      from memories as m
      left join memory_revisions as r
        on r.scope_id = m.scope_id
        and r.memory_id = m.id
        and r.revision = m.revision
      where m.scope_id = ${scope}
        and m.deleted_at is null
    ) as m
    full join (select * from candidates where scope_id = ${scope}) as c
      on c.memory_id = m.id
    where (m.memory_no, m.revision, m.content_revision, m.agent_id, m.visibility, m.namespace, m.source_site,
           m.session_id, m.episode_type, m.importance, m.trust, m.event_at, m.valid_until, m.eligible, m.created_at,
           m.content_digest, m.exact_length, m.stemmed_length)
      is distinct from
          (c.memory_no, c.revision, c.content_revision, c.agent_id, c.visibility, c.namespace, c.source_site,
           c.session_id, c.episode_type, c.importance, c.trust, c.event_at, c.valid_until, c.eligible, c.created_at,
           c.content_digest, c.exact_length, c.stemmed_length)`;
}

function vectors(scope: Sql): Sql {
  return sql`
    select c.memory_id, 'the candidate has another vector than its binding'
    from candidates as c
    left join bindings as b
      on b.scope_id = c.scope_id
      and b.space_id = c.space_id
      and b.memory_id = c.memory_id
      and b.content_revision = c.content_revision
    where c.scope_id = ${scope}
      and (c.embedding is distinct from l2_normalize(b.embedding) or (c.space_id is null) <> (c.embedding is null))
    union all
    select c.memory_id, 'it lacks a vector of the space that its scope is said to have them all of'
    from scopes as s
    join candidates as c
      on c.scope_id = s.id
    cross join unnest(s.ready_space_ids) as ready(space_id)
    where s.id = ${scope}
      and c.scope_id = ${scope}
      and not exists (
        select
        from bindings as b
        where b.scope_id = ${scope}
          and b.space_id = ready.space_id
          and b.memory_id = c.memory_id
          and b.content_revision = c.content_revision
        offset 0)`;
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
