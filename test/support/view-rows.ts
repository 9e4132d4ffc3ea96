import type { Filters, View } from "../../src/core/scope.js";
import type { Runnable } from "../../src/db/database.js";
import { candidateRows } from "../../src/db/queries/candidate-rows.js";
import { matchingRecords } from "../../src/db/queries/current-records.js";
import { termHolders } from "../../src/db/queries/term-holders.js";
import { sql, type Sql } from "../../src/db/sql.js";
import { queryHashes } from "../../src/services/index-content.js";

/** A candidate as a view shows it. */
export interface ViewRow {
  readonly id: string;
  readonly agentId: string | null;
  readonly visibility: string | null;
  /** Every column that scorers use, the vector apart, and the tags. */
  readonly columns: object;
  /** The vector in its binary form, in hex. */
  readonly vector: string | null;
  /** Of each term of the query that it holds: position, frequency and length. */
  readonly held: readonly (readonly number[])[];
}

export interface ViewQuery {
  readonly spaceId: number;
  readonly filters?: Filters;
  /** Text whose words are looked up. */
  readonly words?: string;
}

/** What a view shows, in order of number. */
export async function readView(db: Runnable, view: View, query: ViewQuery): Promise<ViewRow[]> {
  return await db.run<ViewRow>(viewStatement(view, query));
}

/** The statement of {@link readView}: the parts as a scorer puts them together. */
export function viewStatement(view: View, { spaceId, filters = {}, words = "" }: ViewQuery): Sql {
  const tags = view.past
    ? sql`select tag from unnest(c.tags) as t(tag)`
    : sql`select t.tag from candidate_tags as t where t.scope_id = c.scope_id and t.memory_no = c.memory_no`;
  return sql`
    with shown as (
      select c.scope_id, c.memory_no, c.memory_id, c.revision, c.content_revision, c.agent_id, c.visibility, c.namespace,
             c.source_site, c.session_id, c.episode_type, c.importance, c.trust, c.event_at, c.valid_until, c.eligible,
             c.created_at, c.content_digest, c.exact_length, c.stemmed_length, c.space_id,
             encode(vector_send(c.embedding), 'hex') as vector,
             array(select distinct tag collate "C" from (${tags}) as t order by 1) as tags
      from ${candidateRows(view, spaceId)}
      where ${matchingRecords(view, filters)}
    ),
    eligible as (
      select memory_no, memory_id, content_revision, true as matching
      from shown
    ),
    query_terms as (
      select term, position
      from unnest(${queryHashes(words).map(String)}::bigint[]) with ordinality as q(term, position)
    ),
    holders as (${termHolders(view)})
    select s.memory_id as "id",
           s.agent_id as "agentId",
           s.visibility as "visibility",
           to_jsonb(s) - 'vector' - 'space_id' as "columns",
           case when s.space_id = ${spaceId}::bigint then s.vector end as "vector",
           coalesce(h.held, '[]') as "held"
    from shown as s
    left join (
      select memory_no,
             jsonb_agg(jsonb_build_array(position, frequency, length) order by position) as held
      from holders
      group by memory_no
    ) as h
      on h.memory_no = s.memory_no
    order by s.memory_no
  `;
}
