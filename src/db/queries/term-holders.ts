import type { View } from "../../core/scope.js";
import { sql, type Sql } from "../sql.js";

/**
 * Which eligible memories hold which of the query's terms: rows (position, memory_no, frequency, length), at most one of
 * each pair. To be used in a statement with the CTEs `eligible` (memory_no, memory_id, content_revision), from
 * `candidateRows` of the same view, and `query_terms` (term bigint, position bigint).
 *
 * A content has its words in postings while it is live and in past_postings from then on, so that in the past one memory's
 * come from either, by the content revision that it was at.
 */
export function termHolders(view: View): Sql {
  return view.past ? sql`${liveThen(view)}\n      union all${retiredSince(view)}` : present(view);
}

function present(view: View): Sql {
  return sql`
      select q.position, p.memory_no, p.frequency, p.length
      from query_terms as q
      join postings as p
        on p.scope_id = ${view.scopeId}::bigint
        and p.term = q.term
      join eligible as c
        on c.memory_no = p.memory_no`;
}

/** A full join, since that is never a nested loop over two lists that may be as long as the scope. */
function liveThen(view: View): Sql {
  return sql`
      select h.position, h.memory_no, h.frequency, h.length
      from (
        select p.position, p.memory_no, p.frequency, p.length, p.content_revision, c.content_revision as wanted
        from (
          select q.position, p.memory_no, p.frequency, p.length, l.content_revision
          from query_terms as q
          join postings as p
            on p.scope_id = ${view.scopeId}::bigint
            and p.term = q.term
          cross join lateral (
            select l.content_revision
            from candidates as l
            where l.scope_id = ${view.scopeId}::bigint
              and l.memory_no = p.memory_no
            offset 0
          ) as l
        ) as p
        full join eligible as c
          on c.memory_no = p.memory_no
        offset 0
      ) as h
      where h.wanted = h.content_revision`;
}

function retiredSince(view: View): Sql {
  return sql`
      select q.position, c.memory_no, t.frequency, t.length
      from eligible as c
      cross join lateral (
        select p.terms, p.frequencies, p.lengths
        from past_postings as p
        where p.scope_id = ${view.scopeId}::bigint
          and p.memory_id = c.memory_id
          and p.content_revision = c.content_revision
        offset 0
      ) as p
      cross join lateral unnest(p.terms, p.frequencies, p.lengths) as t(term, frequency, length)
      join query_terms as q
        on q.term = t.term`;
}
