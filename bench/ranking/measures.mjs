import { seededRandom } from "./seeded-random.mjs";

/** nDCG@10 (binary relevance), recall@5 and hit@1 of one ranking (document numbers, best first). */
export function measure(ranking, gold) {
  const isGold = new Set(gold);
  const gain = (hits) => hits.reduce((sum, hit, index) => sum + (hit ? 1 / Math.log2(index + 2) : 0), 0);
  const hits = ranking.slice(0, 10).map((document) => isGold.has(document));
  return {
    ndcg: gain(hits) / gain(Array(Math.min(10, isGold.size)).fill(true)),
    recall: hits.slice(0, 5).filter(Boolean).length / isGold.size,
    hit: hits[0] === true ? 1 : 0,
  };
}

export function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

const RESAMPLES = 10_000;

/** Mean of the paired differences a − b and its 95 % interval: percentiles of 10,000 bootstrap resamples of the queries. */
export function pairedInterval(a, b) {
  const differences = a.map((value, index) => value - b[index]);
  const random = seededRandom(7);
  const means = Array.from({ length: RESAMPLES }, () => {
    const drawn = differences.map(() => differences[Math.floor(random() * differences.length)]);
    return mean(drawn);
  }).sort((x, y) => x - y);
  return { mean: mean(differences), low: means[0.025 * RESAMPLES], high: means[0.975 * RESAMPLES] };
}
