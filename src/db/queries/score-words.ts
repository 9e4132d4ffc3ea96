import { BM25 } from "../../core/bm25.js";
import type { View } from "../../core/scope.js";
import { sql, type Sql } from "../sql.js";
import type { ScoreQuery } from "./score-query.js";
import { termHolders } from "./term-holders.js";

/**
 * What one term adds is rounded to a multiple of 2^-36 (1.5e-11): such sums are exact in float8 up to 2^17, so that the
 * order in which the rows come changes no bit of a score.
 */
const UNIT = sql`68719476736::float8`;

/**
 * From the hashes of a query's distinct terms, the CTEs `query_terms`, `corpus`, `holders`, `terms` and `words` over
 * `eligible` (memory_no, memory_id, content_revision, length, matching): for each memory that holds a term its `coverage`,
 * from the statistics of all that the caller may see, its `bm25`, from those of what matches (formulas: core/bm25.ts), and
 * the share of the query's identifiers that it holds.
 */
export function wordCtes(view: View, query: Pick<ScoreQuery, "terms" | "identifiers">): Sql {
  return sql`query_terms as materialized (
      select term, position
      from unnest(${query.terms.map(String)}::bigint[]) with ordinality as q(term, position)
    ),
    corpus as materialized (
      select count(*) as documents,
             count(*) filter (where matching) as matching,
             sum(length) filter (where matching)::float8 / nullif(count(*) filter (where matching), 0) as average_length
      from eligible
    ),
    holders as materialized (${termHolders(view)}
    ),
    terms as materialized (
      select q.position, q.term,
             ${idf(sql`c.documents`, sql`coalesce(f.held, 0)`)} as idf,
             ${idf(sql`c.matching`, sql`coalesce(f.matching, 0)`)} * ${BM25.k1 + 1}::float8 as weight,
             ${BM25.k1}::float8 * (1 - ${BM25.b}::float8) as k_base,
             ${BM25.k1}::float8 * ${BM25.b}::float8 / nullif(c.average_length, 0) as k_per_length
      from query_terms as q
      cross join corpus as c
      left join (
        select position, count(*) as held, count(*) filter (where matching) as matching
        from holders
        group by position
      ) as f
        on f.position = q.position
    ),
    words as materialized (
      select h.memory_no, h.matching,
             sum(round(t.idf * ${UNIT})) / (select nullif(sum(round(idf * ${UNIT})), 0) from terms) as coverage,
             sum(round(t.weight * h.frequency / (h.frequency + t.k_base + t.k_per_length * h.length) * ${UNIT})) / ${UNIT} as bm25,
             ${identifiersHeld(query.identifiers)} as identifiers_held
      from holders as h
      join terms as t
        on t.position = h.position
      group by h.memory_no, h.matching
    )`;
}

/** Share of the query's identifiers, 0 to 1; 0 where it has none. */
function identifiersHeld(identifiers: readonly bigint[]): Sql {
  if (identifiers.length === 0) return sql`0::float8`;
  return sql`count(*) filter (where t.term = any(${identifiers.map(String)}::bigint[])) / ${identifiers.length}::float8`;
}

/** See core/bm25.ts. */
function idf(documents: Sql, frequency: Sql): Sql {
  return sql`ln(1 + (${documents} - ${frequency} + 0.5::float8) / (${frequency} + 0.5::float8))`;
}
