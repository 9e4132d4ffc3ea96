/** How many hits of a channel take part in fusion. */
const POOL = 200;

/** Share of the lexical channel, of the semantic one, and the constant k of weighted reciprocal rank fusion. */
export const FUSIONS = {
  weighted_rrf_v1: { lexical: 0.5, semantic: 0.5, k: 60 },
  weighted_rrf_v2: { lexical: 0.25, semantic: 0.75, k: 2 },
};

/** The best `POOL` documents of a channel, best first, as [document, rank]; equal scores share the better rank. */
export function rankChannel(scores) {
  const sorted = [...scores].sort(([a, x], [b, y]) => y - x || a - b).slice(0, POOL);
  let rank = 0;
  return sorted.map(([document, score], index) => {
    if (index === 0 || score !== sorted[index - 1][1]) rank = index + 1;
    return [document, rank];
  });
}

/** Weighted RRF (after Cormack et al. 2009) divided by its maximum, 0 to 1; without a rank a channel adds 0. */
export function fuse({ lexicalRank, semanticRank }, { lexical, semantic, k }) {
  const part = (weight, rank) => (rank === undefined ? 0 : weight / (k + rank));
  return (part(lexical, lexicalRank) + part(semantic, semanticRank)) * (k + 1);
}
