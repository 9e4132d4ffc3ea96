import type { Filters, View } from "../../core/scope.js";
import type { Runnable } from "../database.js";
import { sql, VectorParameter, type Sql } from "../sql.js";
import { currentRecords, matchingRecords } from "./current-records.js";

export interface VectorQuery {
  readonly filters: Filters;
  readonly spaceId: number;
  /** Float32Array of the space's dimensions; any length but 0. */
  readonly vector: Float32Array;
  /** Hashes of the query's distinct terms. */
  readonly terms: readonly bigint[];
  /** How many candidates to score at most, by cosine. */
  readonly pool: number;
}

/** One scored candidate: evidence only, what follows from it is computed in core/score.ts. */
export interface ScoredRow {
  readonly id: string;
  readonly memoryNo: number;
  readonly revision: number;
  readonly namespace: string | null;
  readonly sourceSite: string | null;
  readonly importance: number;
  readonly trust: number;
  readonly eventAt: Date;
  readonly contentDigest: string;
  /** Cosine similarity in [-1, 1]; null without a vector in the served space. */
  readonly similarity: number | null;
  /** Positions in the query's terms that the memory holds. */
  readonly matchedTerms: readonly number[];
}

/** What the scope looks like to this caller before any filter of the request. */
export interface Corpus {
  readonly documents: number;
  /** For each query term the number of memories that hold it. */
  readonly documentFrequencies: readonly number[];
}

interface ResultRow extends Corpus {
  readonly hits: readonly (Omit<ScoredRow, "eventAt"> & { readonly eventAt: number })[];
}

/**
 * Scores the candidates that match by exact scan and returns the best `pool` of them with the corpus statistics, all
 * from one snapshot. Ties of the cosine fall by content, then id, so that two imports of a corpus give one pool.
 */
export async function scoreVector(
  db: Runnable,
  view: View,
  query: VectorQuery,
): Promise<{ corpus: Corpus; hits: ScoredRow[] }> {
  const [row] = await db.run<ResultRow>(sql`
    with ${scoredPool(view, query)},
    ${termHolders(view, query)},
    matches as (
      select h.memory_no, array_agg(h.position::integer - 1 order by h.position) as positions
      from holders as h
      join pool on pool.memory_no = h.memory_no
      group by h.memory_no
    )
    select
      (select count(*) from candidates as c where ${currentRecords(view)}) as "documents",
      array(
        select (select count(*) from holders as h where h.position = q.position)::integer
        from query_terms as q
        order by q.position
      ) as "documentFrequencies",
      coalesce((
        select jsonb_agg(jsonb_build_object(
          'id', pool.memory_id, 'memoryNo', pool.memory_no, 'revision', pool.revision, 'namespace', pool.namespace,
          'sourceSite', pool.source_site, 'importance', pool.importance, 'trust', pool.trust,
          'eventAt', (extract(epoch from pool.event_at) * 1000)::bigint, 'contentDigest', pool.content_digest,
          'similarity', pool.similarity, 'matchedTerms', coalesce(to_jsonb(matches.positions), '[]'::jsonb)
        ) order by ${POOL_ORDER})
        from pool
        left join matches on matches.memory_no = pool.memory_no
      ), '[]'::jsonb) as "hits"
  `);
  if (row === undefined) throw new Error("the scorer returned no row");
  const hits = row.hits.map((hit) => ({ ...hit, eventAt: new Date(hit.eventAt) }));
  return { corpus: row, hits };
}

const POOL_ORDER = sql`similarity desc nulls last, content_digest collate "C", memory_id`;

/** The best candidates by cosine. Candidates hold unit vectors, so the inner product with a unit query is the cosine. */
function scoredPool(view: View, query: VectorQuery): Sql {
  const unit = sql`l2_normalize(${new VectorParameter(query.vector)}::vector)`;
  return sql`scored as (
      select c.memory_no, c.memory_id, c.revision, c.namespace, c.source_site, c.importance, c.trust, c.event_at,
             c.content_digest,
             case when c.space_id = ${query.spaceId}::bigint
               then greatest(-1, least(1, -(c.embedding <#> ${unit})))
             end as similarity
      from candidates as c
      where ${matchingRecords(view, query.filters)}
    ),
    pool as (
      select *
      from scored
      order by ${POOL_ORDER}
      limit ${query.pool}::integer
    )`;
}

/** Which memories hold which term of the query, filters apart: relevance hangs on the corpus, not on the filters. */
function termHolders(view: View, query: VectorQuery): Sql {
  return sql`query_terms as (
      select term, position
      from unnest(${query.terms.map(String)}::bigint[]) with ordinality as q(term, position)
    ),
    holders as (
      select q.position, p.memory_no
      from query_terms as q
      join postings as p
        on p.scope_id = ${view.scopeId}::bigint
        and p.term = q.term
      join candidates as c
        on c.scope_id = p.scope_id
        and c.memory_no = p.memory_no
      where ${currentRecords(view)}
    )`;
}
