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
  const rest = view.past ? sql`, ${DETAILS}` : sql``;
  const from = sql`from ${candidateRows(view, query.spaceId)}
      where ${currentRecords(view)}`;
  const wanted = query.focus === undefined ? sql`c.matching` : sql`(c.matching or c.memory_id = ${query.focus}::uuid)`;
  const rows = filters.length === 0 ? sql`(select c.*, true as matching ${from})` : matchedRows(from, filters);
  return sql`
      select c.memory_no, c.memory_id, c.content_revision, c.stemmed_length as length, c.matching,
             ${similarity(query, wanted)} as similarity${rest}
      from ${rows} as c`;
}

/** Behind a fence, since each condition is looked at twice otherwise. */
function matchedRows(from: Sql, filters: readonly Sql[]): Sql {
  const conditions = filters.reduce((all, each) => sql`${all} and ${each}`);
  return sql`(select c.*, coalesce(${conditions}, false) as matching ${from} offset 0)`;
}

function similarity({ vector, spaceId }: ScoreQuery, wanted: Sql): Sql {
  if (vector === null) return NOTHING;
  const unit = sql`l2_normalize(${new VectorParameter(vector)}::vector)`;
  return sql`case
               when ${wanted} and c.space_id = ${spaceId}::bigint
               then greatest(-1, least(1, -(c.embedding <#> ${unit})))
             end`;
}

/** What a candidate's row has beside its vector and what makes it match. */
const DETAILS = sql`c.revision, c.namespace, c.source_site, c.importance, c.trust, c.event_at, c.content_digest`;

/** What is known of each eligible candidate. A full join, since that is never a nested loop; see term-holders.ts. */
export function evidence(view: View, { mode }: ScoreQuery): Sql {
  return sql`
      select c.memory_no, c.memory_id, c.matching, c.similarity, w.coverage,
             ${mode === "semantic" ? NOTHING : sql`w.bm25`} as bm25${view.past ? sql`, ${DETAILS}` : sql``}
      from eligible as c
      full join words as w
        on w.memory_no = c.memory_no`;
}

const NOTHING = sql`null::float8`;

/** The scores of the last that each channel considers, null where it considers all that it has. */
export function bestOfChannels({ mode, pool }: ScoreQuery): Sql {
  const last = (score: Sql): Sql => sql`(
               select ${score}
               from evidence
               where matching
               order by ${score} desc nulls last
               offset ${pool - 1}::integer
               limit 1)`;
  return sql`
      select ${mode === "lexical" ? NOTHING : last(sql`similarity`)} as similarity,
             ${mode === "semantic" ? NOTHING : last(sql`bm25`)} as bm25`;
}

/** Those that reach a channel's last score, ties included, with the rest of their row. */
export function poolOf(view: View, { mode, focus }: ScoreQuery): Sql {
  const semantic = sql`(best.similarity is null or e.similarity >= best.similarity)`;
  const lexical = sql`(e.bm25 is not null and (best.bm25 is null or e.bm25 >= best.bm25))`;
  const channels = { hybrid: sql`(${semantic} or ${lexical})`, semantic, lexical }[mode];
  const focused = focus === undefined ? sql`` : sql`or e.memory_id = ${focus}::uuid`;
  return sql`
      select e.memory_id, e.matching, e.similarity, e.coverage, e.bm25, ${DETAILS}
      from evidence as e
      cross join best
      cross join lateral (${detailsOf(view)}) as c
      where (e.matching and ${channels})
        ${focused}`;
}

function detailsOf(view: View): Sql {
  if (view.past) return sql`select e.*`;
  return sql`
        select ${DETAILS}
        from candidates as c
        where c.scope_id = ${view.scopeId}::bigint
          and c.memory_no = e.memory_no
        offset 0
      `;
}

export const BY_CONTENT = sql`content_digest collate "C", memory_id`;

/** Ranks in the two channels; equal scores share one. Beyond a channel's best there is none. */
export function ranked({ mode, pool }: ScoreQuery): Sql {
  const among = (place: Sql, score: Sql): Sql =>
    sql`(matching and ${score} is not null and ${place} <= ${pool}::integer)`;
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
               row_number() over (partition by matching order by bm25 desc nulls last, ${BY_CONTENT}) as lexical_place,
               rank() over (partition by matching order by bm25 desc nulls last) as lexical_tie
        from pool
      ) as p`;
}
