import type { View } from "../../core/scope.js";
import { sql, VectorParameter, type Sql } from "../sql.js";
import { candidateRows } from "./candidate-rows.js";
import { currentRecords } from "./current-records.js";
import type { ScoreQuery } from "./score-query.js";

/**
 * Candidates hold unit vectors, so the inner product with a unit query is the cosine. Rows are narrow, since all of the
 * scope's are kept while the statement runs; the past has no table to look the rest up in.
 */
export function eligibleCandidates(view: View, query: ScoreQuery, filters: readonly Sql[]): Sql {
  const from = sql`from ${candidateRows(view, query.spaceId)}
      where ${currentRecords(view)}`;
  const wanted = query.focus === undefined ? sql`c.matching` : sql`(c.matching or c.memory_id = ${query.focus}::uuid)`;
  const rows = filters.length === 0 ? sql`(select c.*, true as matching ${from})` : matchedRows(from, filters);
  return sql`
      select c.memory_no, ${view.past ? DETAILS : sql`c.memory_id`}, c.content_revision, c.stemmed_length as length, c.matching,
             ${similarity(view, query, wanted)} as similarity
      from ${rows} as c`;
}

/** Behind a fence, since each condition is looked at twice otherwise. */
function matchedRows(from: Sql, filters: readonly Sql[]): Sql {
  const conditions = filters.reduce((all, each) => sql`${all} and ${each}`);
  return sql`(select c.*, coalesce(${conditions}, false) as matching ${from} offset 0)`;
}

/**
 * A candidate holds the vector of one space at a time: while another one than the query's, before or behind a switch, its
 * vector in the query's space is looked up.
 */
function similarity(view: View, { vector, spaceId }: ScoreQuery, wanted: Sql): Sql {
  if (vector === null) return NOTHING;
  const unit = sql`l2_normalize(${new VectorParameter(vector)}::vector)`;
  const cosine = (embedding: Sql): Sql => sql`greatest(-1, least(1, -(${embedding} <#> ${unit})))`;
  const lookedUp = sql`
               when ${wanted} then (
                 select ${cosine(sql`l2_normalize(b.embedding)`)}
                 from bindings as b
                 where b.scope_id = ${view.scopeId}::bigint
                   and b.space_id = ${spaceId}::bigint
                   and b.memory_id = c.memory_id
                   and b.content_revision = c.content_revision
               )`;
  return sql`case
               when ${wanted} and c.space_id = ${spaceId}::bigint then ${cosine(sql`c.embedding`)}${view.past ? NONE : lookedUp}
             end`;
}

/** What a candidate's row has beside its vector and what makes it match. */
const DETAILS = sql`c.memory_id, c.revision, c.namespace, c.source_site, c.importance, c.trust, c.event_at, c.content_digest`;

const NOTHING = sql`null::float8`;

/**
 * The best of each channel, as many as it considers and those that tie with the last; the words are led by what holds an
 * identifier of the query. Of the semantic channel all that has no vector is tied.
 */
export function chosenBy({ mode, pool, focus }: ScoreQuery): Sql {
  const semantic = sql`
        (select memory_no, matching
        from eligible
        where matching
        order by similarity desc nulls last
        fetch first (${pool}::bigint) rows with ties)`;
  const lexical = sql`
        (select memory_no, matching
        from words
        where matching
        order by identifiers_held desc, bm25 desc
        fetch first (${pool}::bigint) rows with ties)`;
  const channels = { hybrid: sql`${semantic}\n        union${lexical}`, semantic, lexical }[mode];
  if (focus === undefined) return channels;
  return sql`${channels}
        union
        select memory_no, matching
        from eligible
        where memory_id = ${focus}::uuid`;
}

/**
 * The chosen with all that is known of them: every one has its cosine and its words, whichever channel chose it. Full
 * joins, since they are never nested loops; see term-holders.ts.
 */
export function poolOf(view: View, query: ScoreQuery): Sql {
  const semantic = query.mode === "semantic";
  const bm25 = semantic ? NOTHING : sql`p.bm25`;
  return sql`
      select p.matching, p.coverage, ${bm25} as bm25, p.identifiers_held, c.similarity, ${DETAILS}
      from (
        select h.memory_no as chosen_no, h.matching, w.coverage, w.bm25, w.identifiers_held${view.past ? sql`, c.similarity, ${DETAILS}` : NONE}
        from chosen as h
        full join words as w
          on w.memory_no = h.memory_no
        ${view.past ? sql`full join eligible as c on c.memory_no = h.memory_no` : NONE}
        offset 0
      ) as p
      cross join lateral (${detailsOf(view, query)}) as c
      where p.chosen_no is not null`;
}

/** The past has no table to look them up in. */
function detailsOf(view: View, query: ScoreQuery): Sql {
  if (view.past) return sql`select p.*`;
  return sql`
        select ${DETAILS}, ${similarity(view, query, sql`true`)} as similarity
        from candidates as c
        where c.scope_id = ${view.scopeId}::bigint
          and c.memory_no = p.chosen_no
        offset 0
      `;
}

const NONE = sql``;

export const BY_CONTENT = sql`content_digest collate "C", memory_id`;

/**
 * Ranks in the two channels, that of the words led by what holds an identifier; equal scores share one. Beyond a channel's
 * best there is none.
 */
export function ranked({ mode, pool }: ScoreQuery): Sql {
  const among = (place: Sql, score: Sql): Sql =>
    sql`(matching and ${score} is not null and ${place} <= ${pool}::integer)`;
  const byWords = sql`coalesce(identifiers_held, 0) desc, bm25 desc nulls last`;
  const semantic = among(sql`semantic_place`, sql`similarity`);
  const lexical = among(sql`lexical_place`, sql`bm25`);
  const considered = {
    hybrid: sql`(matching and semantic_place <= ${pool}::integer or ${lexical})`,
    semantic: sql`(matching and semantic_place <= ${pool}::integer)`,
    lexical,
  }[mode];
  return sql`
      select *,
             ${considered} as considered,
             case when ${semantic} then semantic_tie end as semantic_rank,
             case when ${lexical} then lexical_tie end as lexical_rank
      from (
        select *,
               row_number() over (partition by matching order by similarity desc nulls last, ${BY_CONTENT}) as semantic_place,
               rank() over (partition by matching order by similarity desc nulls last) as semantic_tie,
               row_number() over (partition by matching order by ${byWords}, ${BY_CONTENT}) as lexical_place,
               rank() over (partition by matching order by ${byWords}) as lexical_tie
        from pool
      ) as p`;
}
