import type { View } from "../../core/scope.js";
import { sql, type Sql } from "../sql.js";

/**
 * Which eligible memories hold which of the query's terms: rows (position, memory_no, frequency, length,
 * matching), at most one of each pair. To be used in a statement with the CTEs `eligible` (memory_no, memory_id,
 * content_revision, matching), from `candidateRows` of the same view, and `query_terms` (term bigint, position bigint).
 *
 * A content has its words in postings while it is live and in past_postings from then on, so that in the past one memory's
 * come from either, by the content revision that it was at.
 */
export function termHolders(view: View): Sql {
  return view.past ? sql`${liveThen(view)}\n      union all${retiredSince(view)}` : present(view);
}

function present(view: View): Sql {
  return sql`
      select h.position, h.memory_no, h.frequency, h.length, h.matching
      from (${amongEligible(postingsOfTerms(view))}) as h
      where h.wanted is not null
        and h.memory_no is not null`;
}

/** Only where the content that the memory was at is the one that is live. */
function liveThen(view: View): Sql {
  const withContent = sql`
          select p.*, m.content_revision
          from (${postingsOfTerms(view)}) as p
          cross join lateral (
            select m.content_revision
            from memories as m
            where m.scope_id = ${view.scopeId}::bigint
              and m.memory_no = p.memory_no
            offset 0
          ) as m
        `;
  return sql`
      select h.position, h.memory_no, h.frequency, h.length, h.matching
      from (${amongEligible(withContent)}) as h
      where h.wanted = h.content_revision`;
}

/**
 * `wanted` is the content revision of the eligible memory, null where it is not eligible. A full join, since that is never
 * a nested loop over two lists that may both be as long as the scope: the statistics may take either for one row.
 */
function amongEligible(postings: Sql): Sql {
  return sql`
        select p.*, c.content_revision as wanted, c.matching
        from (${postings}) as p
        full join eligible as c
          on c.memory_no = p.memory_no
        offset 0
      `;
}

/** Each term looks its postings up: a join may go through all of a scope that the statistics do not know. */
function postingsOfTerms(view: View): Sql {
  return sql`
        select q.position, p.memory_no, p.frequency, p.length
        from query_terms as q
        cross join lateral (
          select p.memory_no, p.frequency, p.length
          from postings as p
          where p.scope_id = ${view.scopeId}::bigint
            and p.term = q.term
          offset 0
        ) as p
      `;
}

function retiredSince(view: View): Sql {
  return sql`
      select q.position, c.memory_no, t.frequency, t.length, c.matching
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
