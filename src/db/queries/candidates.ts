import type { Runnable } from "../database.js";
import { sql } from "../sql.js";
import { SERVED } from "./served-space.js";

/** Whether the candidate of memory `m` can be found, its time apart. */
const eligible = sql`(m.sources_valid and m.review <> 'rejected')`;

/**
 * Makes the candidates of live memories equal to their current revision and their binding in the served space.
 * Writes, imports and a rebuild all come through here; `projectVectors` fills in a vector that came later.
 * A cosine needs no length, so the candidate holds the vector at length 1: the distance operator works in float32 and
 * gives NaN for norms outside about 1e-15 to 1e15.
 */
export async function projectCandidates(tx: Runnable, scopeId: number, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await tx.run(sql`
    insert into candidates (
      scope_id, memory_no, memory_id, revision, content_revision, agent_id, visibility, namespace, source_site,
      session_id, episode_type, importance, trust, event_at, valid_until, eligible, created_at, content_digest, exact_length,
      stemmed_length, space_id, embedding)
    select m.scope_id, m.memory_no, m.id, m.revision, m.content_revision, m.agent_id, r.visibility, r.namespace,
           r.source_site, r.session_id, r.episode_type, r.importance, r.trust, r.event_at, m.effective_valid_until,
           ${eligible}, m.created_at, r.content_digest, r.exact_length, r.stemmed_length, b.space_id, l2_normalize(b.embedding)
    from memories as m
    join memory_revisions as r
      on r.scope_id = m.scope_id
      and r.memory_id = m.id
      and r.revision = m.revision
    left join bindings as b
      on b.scope_id = m.scope_id
      and b.space_id = ${SERVED}
      and b.memory_id = m.id
      and b.content_revision = m.content_revision
    where m.scope_id = ${scopeId}::bigint
      and m.id = any(${ids}::uuid[])
      and m.deleted_at is null
    on conflict (scope_id, memory_no) do update
      set revision = excluded.revision,
          content_revision = excluded.content_revision,
          agent_id = excluded.agent_id,
          visibility = excluded.visibility,
          namespace = excluded.namespace,
          source_site = excluded.source_site,
          session_id = excluded.session_id,
          episode_type = excluded.episode_type,
          importance = excluded.importance,
          trust = excluded.trust,
          event_at = excluded.event_at,
          valid_until = excluded.valid_until,
          eligible = excluded.eligible,
          content_digest = excluded.content_digest,
          exact_length = excluded.exact_length,
          stemmed_length = excluded.stemmed_length,
          space_id = excluded.space_id,
          embedding = excluded.embedding
  `);
  await projectTags(tx, scopeId, ids);
}

async function projectTags(tx: Runnable, scopeId: number, ids: readonly string[]): Promise<void> {
  await tx.run(sql`
    delete from candidate_tags as t
    using candidates as c
    where c.scope_id = ${scopeId}::bigint
      and c.memory_id = any(${ids}::uuid[])
      and t.scope_id = c.scope_id
      and t.memory_no = c.memory_no
  `);
  await tx.run(sql`
    insert into candidate_tags (scope_id, tag, memory_no)
    select distinct c.scope_id, tag, c.memory_no
    from candidates as c
    join memory_revisions as r
      on r.scope_id = c.scope_id
      and r.memory_id = c.memory_id
      and r.revision = c.revision
    cross join lateral unnest(r.tags) as tag
    where c.scope_id = ${scopeId}::bigint
      and c.memory_id = any(${ids}::uuid[])
  `);
}

/**
 * {@link projectCandidates} for memories of which nothing but their eligibility has changed: the same two values, without
 * writing vectors and tags again. Each row looks its memory up, as in `refreshFromSources`.
 */
export async function refreshEligibility(tx: Runnable, scopeId: number, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const memory = sql`
      from memories as m
      where m.scope_id = ${scopeId}::bigint
        and m.id = c.memory_id`;
  await tx.run(sql`
    update candidates as c
    set (eligible, valid_until) = (
      select ${eligible}, m.effective_valid_until
      ${memory})
    where c.scope_id = ${scopeId}::bigint
      and c.memory_id = any(${ids}::uuid[])
      and exists (
        select
        ${memory}
          and (c.eligible, c.valid_until) is distinct from (${eligible}, m.effective_valid_until)
        offset 0)
  `);
}

/** Takes memories out of what can be found. */
export async function removeCandidates(tx: Runnable, scopeId: number, ids: readonly string[]): Promise<void> {
  await tx.run(sql`
    delete from candidates
    where scope_id = ${scopeId}::bigint
      and memory_id = any(${ids}::uuid[])
  `);
}
