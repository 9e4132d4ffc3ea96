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
  /** How many candidates to consider at most by each of cosine and words. */
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
  readonly matching: number;
  readonly hits: readonly (Omit<ScoredRow, "eventAt"> & { readonly eventAt: number })[];
}

export interface Scored {
  readonly corpus: Corpus;
  /** Candidates that matched the filters, scored or not. */
  readonly matching: number;
  /** By cosine, those without one last. */
  readonly hits: ScoredRow[];
}

/**
 * Scores the candidates that match by exact scan, all from one snapshot: the best `pool` by cosine, and the best `pool`
 * by the words that they share with the query, so that an exact name is considered whatever its cosine is.
 * Ties fall by content, then id, so that two imports of a corpus give one pool.
 */
export async function scoreVector(db: Runnable, view: View, query: VectorQuery): Promise<Scored> {
  const [row] = await db.run<ResultRow>(sql`
    with ${scoredCandidates(view, query)},
    ${wordMatches(view, query)},
    pool as (
      (select memory_no from scored order by ${BY_COSINE} limit ${query.pool}::integer)
      union
      (select scored.memory_no
      from scored
      join matches on matches.memory_no = scored.memory_no
      order by matches.weight desc, ${BY_CONTENT}
      limit ${query.pool}::integer)
    )
    select
      (select documents from corpus) as "documents",
      array(select frequency::integer from frequencies order by position) as "documentFrequencies",
      (select count(*) from scored) as "matching",
      coalesce((
        select jsonb_agg(jsonb_build_object(
          'id', memory_id, 'memoryNo', memory_no, 'revision', revision, 'namespace', namespace,
          'sourceSite', source_site, 'importance', importance, 'trust', trust,
          'eventAt', (extract(epoch from event_at) * 1000)::bigint, 'contentDigest', content_digest,
          'similarity', similarity, 'matchedTerms', coalesce(to_jsonb(matches.positions), '[]'::jsonb)
        ) order by ${BY_COSINE})
        from pool
        join scored using (memory_no)
        left join matches using (memory_no)
      ), '[]'::jsonb) as "hits"
  `);
  if (row === undefined) throw new Error("the scorer returned no row");
  const hits = row.hits.map((hit) => ({ ...hit, eventAt: new Date(hit.eventAt) }));
  return { corpus: row, matching: row.matching, hits };
}

const BY_CONTENT = sql`content_digest collate "C", memory_id`;
const BY_COSINE = sql`similarity desc nulls last, ${BY_CONTENT}`;

/** Candidates hold unit vectors, so the inner product with a unit query is the cosine. */
function scoredCandidates(view: View, query: VectorQuery): Sql {
  const unit = sql`l2_normalize(${new VectorParameter(query.vector)}::vector)`;
  return sql`scored as (
      select c.memory_no, c.memory_id, c.revision, c.namespace, c.source_site, c.importance, c.trust, c.event_at,
             c.content_digest,
             case when c.space_id = ${query.spaceId}::bigint
               then greatest(-1, least(1, -(c.embedding <#> ${unit})))
             end as similarity
      from candidates as c
      where ${matchingRecords(view, query.filters)}
    )`;
}

/**
 * Which memories hold which terms of the query, and how much these weigh together: the sum of their idf, as
 * core/coverage.ts has it. Filters apart, since relevance hangs on the corpus and not on the filters.
 */
function wordMatches(view: View, query: VectorQuery): Sql {
  return sql`corpus as (
      select count(*) as documents
      from candidates as c
      where ${currentRecords(view)}
    ),
    query_terms as (
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
    ),
    frequencies as (
      select q.position, count(h.memory_no) as frequency,
             ln(1 + (corpus.documents - count(h.memory_no) + 0.5::float8) / (count(h.memory_no) + 0.5::float8)) as idf
      from query_terms as q
      cross join corpus
      left join holders as h on h.position = q.position
      group by q.position, corpus.documents
    ),
    matches as (
      select h.memory_no, sum(f.idf) as weight,
             array_agg(h.position::integer - 1 order by h.position) as positions
      from holders as h
      join frequencies as f on f.position = h.position
      group by h.memory_no
    )`;
}
