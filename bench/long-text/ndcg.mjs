/** nDCG@10 (binary relevance) of each query against unit vectors: `{ vector, gold: indexes into vectors }`. */
export function ndcgAt10(queries, vectors) {
  return queries.map(({ vector, gold }) => queryNdcg(rank(vector, vectors), new Set(gold)));
}

export function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Two-sided p of a paired sign-flip test on the mean difference, 10,000 flips from a fixed seed. */
export function pairedP(a, b) {
  const differences = a.map((value, index) => value - b[index]);
  const observed = Math.abs(mean(differences));
  const random = seededRandom(1);
  const flips = Array.from({ length: 10_000 }, () => Math.abs(mean(differences.map((d) => (random() < 0.5 ? -d : d)))));
  return flips.filter((flip) => flip >= observed - 1e-12).length / flips.length;
}

/** Mulberry32. */
function seededRandom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function queryNdcg(ranked, gold) {
  const gain = (found) => found.reduce((total, isGold, index) => total + (isGold ? 1 / Math.log2(index + 2) : 0), 0);
  return gain(ranked.map((index) => gold.has(index))) / gain(Array(Math.min(10, gold.size)).fill(true));
}

function rank(query, vectors) {
  const scored = vectors.map((vector, index) => ({ index, score: dot(query, vector) }));
  return scored
    .sort((a, b) => b.score - a.score || a.index - b.index)
    .slice(0, 10)
    .map(({ index }) => index);
}

function dot(a, b) {
  let sum = 0;
  for (let index = 0; index < a.length; index++) sum += a[index] * b[index];
  return sum;
}
