import { measure } from "./measures.mjs";
import { seededRandom } from "./seeded-random.mjs";

/** Importance is noise here, so each figure is the mean over this many draws of it. */
const DRAWS = 3;

/** Measures of each query by the ranking of one channel. */
export function measureChannel(queries, channel) {
  return queries.map(({ channels, gold }) =>
    measure(
      channels[channel].map(([document]) => document),
      gold,
    ),
  );
}

/** The same by the fusion of both channels alone. */
export function measureFusion(queries, fusion) {
  return queries.map(({ pool, gold }) =>
    measure(
      order(pool, ({ rrf }) => rrf[fusion]),
      gold,
    ),
  );
}

/**
 * The same by `ranking_score` (core.rankingScore) with every trust 1, importance uniform in [0, 1] from fixed seeds and
 * recency of the documents' times at the scope's last one.
 *
 * @param {{ fusion: string, profile: import("../../src/core/profiles.ts").Profile }} point
 */
export function measureRanking(queries, { fusion, profile }, core) {
  const draws = profile.weights.importance === 0 ? 1 : DRAWS;
  return queries.map(({ pool, gold, scope }) => {
    const measured = Array.from({ length: draws }, (_, draw) => {
      const score = ({ document, cosine, relevance, rrf }) =>
        core.rankingScore(
          {
            similarity: cosine,
            relevance,
            importance: scope.importances[draw][document],
            recency: scope.recencies[document],
            trust: 1,
            rrf: rrf[fusion],
          },
          profile,
        );
      return measure(order(pool, score), gold);
    });
    return Object.fromEntries(
      ["ndcg", "recall", "hit"].map((name) => [name, measured.reduce((sum, each) => sum + each[name], 0) / draws]),
    );
  });
}

/** What `measureRanking` needs of a scope. */
export function withNoise(scope, core) {
  const random = seededRandom(scope.documents.length);
  return {
    importances: Array.from({ length: DRAWS }, () => scope.documents.map(() => random())),
    recencies: scope.documents.map(({ time }) => core.recency(time, scope.now)),
  };
}

/** As the scorer orders: the score, the better of the channels' ranks, and then whatever is the same every time. */
function order(pool, score) {
  return pool
    .map((candidate) => ({ candidate, score: score(candidate) }))
    .sort(
      (a, b) =>
        b.score - a.score || a.candidate.bestRank - b.candidate.bestRank || a.candidate.document - b.candidate.document,
    )
    .slice(0, 10)
    .map(({ candidate }) => candidate.document);
}
