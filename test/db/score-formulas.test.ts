import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { clamp01 } from "../../src/core/clamp01.js";
import { PROFILES, type Profile } from "../../src/core/profiles.js";
import { FUSIONS, reciprocalRankFusion, type Fusion } from "../../src/core/rank-fusion.js";
import * as core from "../../src/core/score.js";
import type { SearchMode } from "../../src/core/search-mode.js";
import { fusionOf, legacyScore, rankingScore, recencyAt, RELEVANCE } from "../../src/db/queries/score-formulas.js";
import { sql } from "../../src/db/sql.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";

const NOW = new Date("2026-03-31T00:00:00.000Z");
const ROWS = 1_000;

let database: TestDatabase;

beforeAll(async () => {
  database = await openTestDatabase();
});

afterAll(async () => {
  await database.close();
});

interface Row {
  readonly similarity: number | null;
  readonly coverage: number | null;
  readonly semanticRank: number | null;
  readonly lexicalRank: number | null;
  readonly identifiersHeld: number | null;
  readonly importance: number;
  readonly trust: number;
  readonly eventAt: Date;
}

/** Numbers in [0, 1) that are the same at every run. */
function* numbers(): Generator<number, never> {
  for (let state = 7; ;) {
    state = (state * 48_271) % 2_147_483_647;
    yield state / 2_147_483_647;
  }
}

/** Random rows, every third on a floor or a bit beside it, with times from the first year to the last. */
function randomRows(): Row[] {
  const random = numbers();
  const next = (): number => random.next().value;
  const edges = [0, 1, -1, ...[0.25, 0.3, 0.35].flatMap((floor) => [floor, floor - 1e-16, floor + 1e-16])];
  const edge = (): number => edges[Math.floor(next() * edges.length)] ?? 0;
  const times = ["0001-01-01T00:00:00Z", "9999-12-31T00:00:00Z", "2026-03-31T00:00:00Z", "1969-01-01T00:00:00Z"];
  return Array.from({ length: ROWS }, (_, index) => ({
    similarity: next() < 0.1 ? null : index % 3 === 0 ? edge() : next() * 2 - 1,
    coverage: next() < 0.3 ? null : index % 3 === 1 ? clamp01(edge()) : next(),
    semanticRank: next() < 0.3 ? null : 1 + Math.floor(next() * 200),
    lexicalRank: next() < 0.3 ? null : 1 + Math.floor(next() * 200),
    identifiersHeld: next() < 0.5 ? null : Math.round(next() * 4) / 4,
    importance: index % 5 === 0 ? Math.round(next()) : next(),
    trust: index % 7 === 0 ? Math.round(next()) : next(),
    eventAt: new Date(index % 4 === 0 ? (times[(index % 16) >> 2] ?? "") : NOW.getTime() - next() * 3e11),
  }));
}

interface Scores {
  readonly relevance: number;
  readonly recency: number;
  readonly rrf: number;
  readonly ranking: number;
  readonly legacy: number;
}

async function inSql(
  rows: readonly Row[],
  by: { mode: SearchMode; profile: Profile; fusion: Fusion },
): Promise<Scores[]> {
  return await database.db.run<Scores>(sql`
    select relevance, recency, rrf,
           ${rankingScore(by.mode, by.profile)} as "ranking",
           ${legacyScore(by.profile)} as "legacy"
    from (
      select *, ${RELEVANCE} as relevance, ${recencyAt(NOW)} as recency, ${fusionOf(by.mode, by.fusion)} as rrf
      from unnest(
        ${rows.map((row) => row.similarity)}::float8[],
        ${rows.map((row) => row.coverage)}::float8[],
        ${rows.map((row) => row.semanticRank)}::bigint[],
        ${rows.map((row) => row.lexicalRank)}::bigint[],
        ${rows.map((row) => row.identifiersHeld)}::float8[],
        ${rows.map((row) => row.importance)}::float8[],
        ${rows.map((row) => row.trust)}::float8[],
        ${rows.map((row) => row.eventAt.toISOString())}::timestamptz[])
        with ordinality as t(similarity, coverage, semantic_rank, lexical_rank, identifiers_held, importance, trust, event_at, n)
    ) as r
    order by n
  `);
}

function inCore(row: Row, by: { mode: SearchMode; profile: Profile; fusion: Fusion }): Scores {
  const ranks = { lexical: row.lexicalRank, semantic: row.semanticRank };
  const words = { ...by.fusion, lexical: 1, semantic: 0 };
  const rrf = {
    hybrid: reciprocalRankFusion(by.fusion, ranks),
    lexical: reciprocalRankFusion(words, ranks),
    semantic: 0,
  };
  const parts = {
    similarity: row.similarity,
    importance: row.importance,
    recency: core.recency(row.eventAt.getTime(), NOW.getTime()),
    trust: row.trust,
    rrf: rrf[by.mode],
    identifiersHeld: by.mode === "semantic" ? 0 : (row.identifiersHeld ?? 0),
    relevance: core.relevance({
      cosine: row.similarity,
      coverage: row.coverage ?? 0,
      identifiersHeld: row.identifiersHeld ?? 0,
    }),
  };
  // By words alone the fusion is all the evidence there is, and counts whole.
  const weights = { ...by.profile.weights, ...(by.mode === "lexical" ? { lexical: 1 } : {}) };
  return {
    relevance: parts.relevance,
    recency: parts.recency,
    rrf: parts.rrf,
    ranking: core.rankingScore(parts, { ...by.profile, weights }),
    legacy: core.legacyScore(parts, by.profile),
  };
}

describe("the formulas in SQL and in core", () => {
  const table = (["hybrid", "semantic", "lexical"] as const).flatMap((mode) =>
    Object.values(PROFILES).flatMap((profile) => Object.values(FUSIONS).map((fusion) => ({ mode, profile, fusion }))),
  );

  it.each(table)("agree to 1e-9 on 1,000 rows: $mode, $profile.name, $fusion.version", async (by) => {
    const rows = randomRows();
    const found = await inSql(rows, by);
    expect(found).toHaveLength(ROWS);
    const differences = found.flatMap((scores, index) => {
      const expected = inCore(rows[index]!, by);
      const names = Object.keys(expected) as (keyof Scores)[];
      return names.filter((name) => !(Math.abs(scores[name] - expected[name]) <= 1e-9)).map((name) => [index, name]);
    });
    expect(differences).toEqual([]);
    expect(found.map((each) => each.relevance)).toEqual(rows.map((row) => inCore(row, by).relevance));
  });
});
