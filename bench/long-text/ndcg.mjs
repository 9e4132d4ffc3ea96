/** Mean nDCG@10 (binary relevance) of queries against unit vectors: `{ vector, gold: indexes into vectors }`. */
export function ndcgAt10(queries, vectors) {
  const sum = queries.reduce((total, { vector, gold }) => total + queryNdcg(rank(vector, vectors), new Set(gold)), 0);
  return sum / queries.length;
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
