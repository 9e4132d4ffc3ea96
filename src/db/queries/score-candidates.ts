import type { Memory } from "../../core/memory.js";
import type { Profile } from "../../core/profiles.js";
import type { Fusion } from "../../core/rank-fusion.js";
import type { Filters, View } from "../../core/scope.js";
import type { SearchMode } from "../../core/search-mode.js";
import type { Runnable } from "../database.js";
import { sql, VectorParameter, type Sql } from "../sql.js";
import { candidateRows } from "./candidate-rows.js";
import { currentRecords, filterConditions } from "./current-records.js";
import { reviveMemory, memoryOfHit, type MemoryJson } from "./memory-of-hit.js";
import { fusionOf, legacyScore, rankingScore, recencyAt, RELEVANCE } from "./score-formulas.js";
import { wordCtes } from "./score-words.js";

export interface ScoreQuery {
  readonly mode: SearchMode;
  readonly filters: Filters;
  readonly spaceId: number;
  /** Float32Array of the space's dimensions, any length but 0; null in the lexical mode. */
  readonly vector: Float32Array | null;
  /** Hashes of the query's distinct terms. */
  readonly terms: readonly bigint[];
  readonly profile: Profile;
  readonly fusion: Fusion;
  /** How many candidates to consider at most by each channel. */
  readonly pool: number;
  /** Which of the considered come with their memory: those that pass, up to a number. */
  readonly wanted: Wanted;
  /** A memory that is scored whether it is among the best or not. */
  readonly focus?: string | undefined;
}

/** Floors of relevance, null where there is none; see core/apply-gate.ts. */
export interface Wanted {
  readonly threshold: number | null;
  readonly profileFloor: number | null;
  readonly limit: number;
}

/** A candidate with every score of the contract. */
export interface ScoredHit {
  readonly id: string;
  readonly revision: number;
  readonly namespace: string | null;
  readonly sourceSite: string | null;
  /** Cosine similarity in [-1, 1]; null without a vector in the served space, and in the lexical mode. */
  readonly similarity: number | null;
  /** BM25; null where no term matched, and in the semantic mode. */
  readonly lexicalScore: number | null;
  /** 0 to 1; see core/coverage.ts. */
  readonly coverage: number;
  readonly relevance: number;
  readonly rankingScore: number;
  readonly score: number;
  /** Whether the filters let it through; false for a focus alone. */
  readonly matching: boolean;
  /** Whether it is among the best of a channel; false for a focus alone. */
  readonly considered: boolean;
  /** Set on those that {@link Wanted} asks for. */
  readonly memory: Memory | null;
}

export interface Scored {
  /** Current memories that the caller may see, filters apart. */
  readonly documents: number;
  /** Memories that a channel could have considered. */
  readonly found: number;
  /** In ranking order. */
  readonly hits: ScoredHit[];
}

interface ResultRow extends Omit<Scored, "hits"> {
  readonly hits: readonly (Omit<ScoredHit, "memory"> & { readonly memory: MemoryJson | null })[];
}

/**
 * Scores the view's candidates by exact scan, all from one snapshot, and orders them: `ranking_score` descending, best
 * single-channel rank, content digest, id, so that two imports of a corpus give one order. Considered are the best `pool`
 * of each channel of the mode; every one of them has its true cosine and its BM25.
 */
export async function scoreCandidates(db: Runnable, view: View, query: ScoreQuery): Promise<Scored> {
  const filters = filterConditions(view, query.filters);
  const [row] = await db.run<ResultRow>(sql`
    with eligible as materialized (${eligibleCandidates(view, query, filters)}
    ),
    ${wordCtes(view, { terms: query.terms, filtered: filters.length > 0 })},
    evidence as materialized (${evidence(view, query)}
    ),
    best as materialized (${bestOfChannels(query)}
    ),
    pool as materialized (${poolOf(view, query)}
    ),
    ranked as materialized (${ranked(query)}
    ),
    scored as materialized (${scored(view, query)}
    ),
    hits as materialized (${withPlaces(query)}
    ),
    kept as materialized (${keptMemories(view, query)}
    )
    select (select documents from corpus) as "documents",
           ${found(query.mode)} as "found",
           coalesce((
             select json_agg(json_build_object(
               'id', h.memory_id, 'revision', h.revision, 'namespace', h.namespace, 'sourceSite', h.source_site,
               'similarity', h.similarity, 'lexicalScore', h.bm25, 'coverage', coalesce(h.coverage, 0),
               'relevance', h.relevance, 'rankingScore', h.ranking_score, 'score', h.score, 'matching', h.matching,
               'considered', h.considered, 'memory', k.memory) order by h.place)
             from hits as h
             left join kept as k
               on k.memory_id = h.memory_id
           ), '[]'::json) as "hits"
  `);
  if (row === undefined) throw new Error("the scorer returned no row");
  return { ...row, hits: row.hits.map((hit) => ({ ...hit, memory: reviveMemory(hit.memory) })) };
}

/**
 * Candidates hold unit vectors, so the inner product with a unit query is the cosine. Rows are narrow, since all of the
 * scope's are kept while the statement runs; the past has no table to look the rest up in.
 */
function eligibleCandidates(view: View, query: ScoreQuery, filters: readonly Sql[]): Sql {
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
function evidence(view: View, { mode }: ScoreQuery): Sql {
  return sql`
      select c.memory_no, c.memory_id, c.matching, c.similarity, w.coverage,
             ${mode === "semantic" ? NOTHING : sql`w.bm25`} as bm25${view.past ? sql`, ${DETAILS}` : sql``}
      from eligible as c
      full join words as w
        on w.memory_no = c.memory_no`;
}

const NOTHING = sql`null::float8`;

/** The scores of the last that each channel considers, null where it considers all that it has. */
function bestOfChannels({ mode, pool }: ScoreQuery): Sql {
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
function poolOf(view: View, { mode, focus }: ScoreQuery): Sql {
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

const BY_CONTENT = sql`content_digest collate "C", memory_id`;

/** Ranks in the two channels; equal scores share one. Beyond a channel's best there is none. */
function ranked({ mode, pool }: ScoreQuery): Sql {
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

/** Each part of a score once, the later from the earlier. */
function scored(view: View, { mode, profile, fusion, focus }: ScoreQuery): Sql {
  const focused = focus === undefined ? sql`` : sql`or memory_id = ${focus}::uuid`;
  return sql`
      select *,
             ${rankingScore(mode, profile)} as ranking_score,
             ${legacyScore(profile)} as score,
             least(semantic_rank, lexical_rank) as best_rank
      from (
        select *,
               ${RELEVANCE} as relevance,
               ${recencyAt(view.now)} as recency,
               ${fusionOf(mode, fusion)} as rrf
        from ranked
        where considered
          ${focused}
        offset 0
      ) as r`;
}

function withPlaces({ wanted: { threshold, profileFloor } }: ScoreQuery): Sql {
  const order = sql`ranking_score desc, best_rank nulls last, ${BY_CONTENT}`;
  return sql`
      select *,
             row_number() over (order by ${order}) as place,
             row_number() over (partition by considered, passes order by ${order}) as place_among_passing
      from (
        select *,
               relevance >= coalesce(${threshold}::float8, 0)
                 and (${profileFloor}::float8 is null
                   or relevance >= ${profileFloor}::float8
                   or coalesce(coverage, 0) >= ${threshold}::float8) as passes
        from scored
      ) as s`;
}

/** The memories that the reply will show; only these are read whole. */
function keptMemories(view: View, { spaceId, wanted }: ScoreQuery): Sql {
  return sql`
      select h.memory_id, ${memoryOfHit(view.scopeId, spaceId)} as memory
      from hits as h
      where h.considered
        and h.passes
        and h.place_among_passing <= ${wanted.limit}::integer`;
}

function found(mode: SearchMode): Sql {
  return mode === "lexical"
    ? sql`(select count(*) from evidence where matching and bm25 is not null)`
    : sql`(select matching from corpus)`;
}
