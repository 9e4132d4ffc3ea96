import type { View } from "../../core/scope.js";
import type { SearchMode } from "../../core/search-mode.js";
import type { Runnable } from "../database.js";
import { sql, type Sql } from "../sql.js";
import { filterConditions } from "./current-records.js";
import { memoryOfHit, reviveMemory, type MemoryJson } from "./memory-of-hit.js";
import { fusionOf, legacyScore, rankingScore, recencyAt, RELEVANCE } from "./score-formulas.js";
import { BY_CONTENT, chosenBy, eligibleCandidates, poolOf, ranked } from "./score-pool.js";
import type { Scored, ScoredHit, ScoreQuery } from "./score-query.js";
import { wordCtes } from "./score-words.js";
import { SERVED } from "./served-space.js";

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
    ${wordCtes(view, query)},
    chosen as materialized (${chosenBy(query)}
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
    select ${SERVED} as "servedSpaceId",
           (select documents from corpus) as "documents",
           ${found(query.mode)} as "found",
           (select count(*) from hits where considered) as "considered",
           coalesce((
             select json_agg(json_build_object(
               'id', h.memory_id, 'revision', h.revision, 'namespace', h.namespace, 'sourceSite', h.source_site,
               'similarity', h.similarity, 'lexicalScore', h.bm25, 'coverage', coalesce(h.coverage, 0),
               'relevance', h.relevance, 'rankingScore', h.ranking_score, 'score', h.score, 'matching', h.matching,
               'considered', h.considered, 'memory', k.memory) order by h.place)
             from hits as h
             left join kept as k
               on k.memory_id = h.memory_id
             ${query.hits === "all" ? sql`` : DECIDING}
           ), '[]'::json) as "hits"
  `);
  if (row === undefined) throw new Error("the scorer returned no row");
  return { ...row, hits: row.hits.map((hit) => ({ ...hit, memory: reviveMemory(hit.memory) })) };
}

/** The gate and the verdict hang on the kept ones and on the greatest relevance. */
const DECIDING = sql`where k.memory_id is not null
               or h.place = (select place from hits where considered order by relevance desc limit 1)`;

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
  return sql`
      select *,
             row_number() over in_order as place,
             count(*) filter (where considered and passes) over (in_order rows unbounded preceding) as place_among_passing
      from (
        select *,
               relevance >= coalesce(${threshold}::float8, 0)
                 and (${profileFloor}::float8 is null
                   or relevance >= ${profileFloor}::float8
                   or coalesce(coverage, 0) >= ${threshold}::float8) as passes
        from scored
      ) as s
      window in_order as (order by ranking_score desc, best_rank nulls last, ${BY_CONTENT})`;
}

/** The memories that the reply will show; only these are read whole. */
function keptMemories(view: View, { wanted }: ScoreQuery): Sql {
  return sql`
      select h.memory_id, ${memoryOfHit(view.scopeId)} as memory
      from hits as h
      where h.considered
        and h.passes
        and h.place_among_passing <= ${wanted.limit}::integer`;
}

function found(mode: SearchMode): Sql {
  return mode === "lexical" ? sql`(select count(*) from words where matching)` : sql`(select matching from corpus)`;
}
