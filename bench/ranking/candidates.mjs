import { Bm25Index } from "./bm25-index.mjs";
import { cachedVectors } from "./cached-vectors.mjs";
import { FUSIONS, fuse, rankChannel } from "./channels.mjs";

/**
 * Everything that a ranking needs of each query of a scope: the rankings of the single channels, and the union of their
 * pools with cosine, fusion (of either version) and relevance. `core`: analyse, queryTerms, idf, relevance.
 */
export async function queryCandidates(scope, { embedder, core }) {
  const analysed = scope.documents.map(({ text }) => core.analyse(text));
  const index = (kind) =>
    new Bm25Index(
      analysed.map((each) => ({ terms: each[kind], length: each[`${kind}Length`] })),
      core.idf,
    );
  const indexes = { exact: index("exact"), stemmed: index("stemmed") };
  const texts = (all) => all.map(({ text }) => text);
  const documents = await cachedVectors(embedder, texts(scope.documents), "document");
  const queries = await cachedVectors(embedder, texts(scope.queries), "query");
  return scope.queries.map(({ text, ...query }, at) => {
    const cosines = documents.map((vector) => dot(vector, queries[at]));
    const [exact, stemmed] = ["exact", "stemmed"].map((kind) => indexes[kind].search(core.queryTerms(text, kind)));
    const scores = (found) => [...found].map(([document, { score }]) => [document, score]);
    const semantic = rankChannel(cosines.entries());
    const lexical = rankChannel(scores(stemmed));
    const pool = union({ semantic, lexical, cosines, stemmed }, core.relevance);
    return { ...query, channels: { dense: semantic, bm25_v1: rankChannel(scores(exact)), bm25_en_v2: lexical }, pool };
  });
}

function union({ semantic, lexical, cosines, stemmed }, relevance) {
  const [semanticRanks, lexicalRanks] = [new Map(semantic), new Map(lexical)];
  return [...new Set([...semanticRanks.keys(), ...lexicalRanks.keys()])].map((document) => {
    const ranks = { semanticRank: semanticRanks.get(document), lexicalRank: lexicalRanks.get(document) };
    const coverage = stemmed.get(document)?.coverage ?? 0;
    return {
      document,
      cosine: cosines[document],
      bestRank: Math.min(ranks.semanticRank ?? Infinity, ranks.lexicalRank ?? Infinity),
      relevance: relevance({ cosine: cosines[document], coverage, identifiersHeld: 0 }),
      rrf: Object.fromEntries(Object.entries(FUSIONS).map(([name, fusion]) => [name, fuse(ranks, fusion)])),
    };
  });
}

function dot(a, b) {
  let sum = 0;
  for (let index = 0; index < a.length; index++) sum += a[index] * b[index];
  return sum;
}
