// How should the parts of `ranking_score` weigh? Three sets with judgments, ranked by the package's own formulas.
// Usage: npm run build && node bench/ranking/run.mjs > /tmp/tables.md        (minutes; six more to embed the first time)
import { tmpdir } from "node:os";
import path from "node:path";
import { queryCandidates } from "./candidates.mjs";
import { FUSIONS } from "./channels.mjs";
import { pairedInterval } from "./measures.mjs";
import { measureChannel, measureFusion, measureRanking, withNoise } from "./rankings.mjs";
import { readSets } from "./read-sets.mjs";
import { interval, ndcg, table, threeMeasures } from "./tables.mjs";

const LEXICAL = [0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.8, 1.2, 2];
const BOOSTS = [0, 0.02, 0.05, 0.1, 0.2];

const scopesOfSets = readSets();
if (scopesOfSets === undefined) {
  console.error("The sets in ../shared/data are not on this machine: nothing to measure.");
  process.exit(0);
}
const load = (file) => import(new URL(`../../dist/${file}`, import.meta.url).href);
const { PROFILES } = await load("core/profiles.js");
const core = {
  ...(await load("core/tokenise.js")),
  ...(await load("core/query-terms.js")),
  ...(await load("core/bm25.js")),
  ...(await load("core/score.js")),
};
const sets = await prepareSets();
const names = Object.keys(sets);
const profile = PROFILES.balanced;
const { weights } = profile;

const rank = (set, fusion, changed) =>
  measureRanking(sets[set], { fusion, profile: { ...profile, weights: { ...weights, ...changed } } }, core);

console.log("## Channels and fusions alone: nDCG@10 / recall@5 / hit@1, percent\n");
console.log(
  table(
    ["", ...names.map((name) => `${name} (${sets[name].length})`)],
    [
      ...["dense", "bm25_v1", "bm25_en_v2"].map((channel) => [
        channel,
        ...names.map((name) => threeMeasures(measureChannel(sets[name], channel))),
      ]),
      ...Object.keys(FUSIONS).map((fusion) => [
        fusion,
        ...names.map((name) => threeMeasures(measureFusion(sets[name], fusion))),
      ]),
    ],
  ),
);
for (const fusion of Object.keys(FUSIONS)) {
  for (const boost of [0, weights.importance]) {
    console.log(`## ranking_score with ${fusion}, w_imp = w_rec = ${boost}: nDCG@10 / recall@5 / hit@1\n`);
    const row = (lexical) => [
      lexical,
      ...names.map((name) => threeMeasures(rank(name, fusion, { lexical, importance: boost, recency: boost }))),
    ];
    console.log(table(["w_lex", ...names], LEXICAL.map(row)));
  }
}
for (const fusion of Object.keys(FUSIONS)) {
  console.log(`## What importance and recency cost: nDCG@10 with ${fusion}, w_lex = ${weights.lexical}\n`);
  for (const name of names) {
    console.log(`${name}; down w_imp, across w_rec:\n`);
    const row = (importance) => [
      importance,
      ...BOOSTS.map((recency) => ndcg(rank(name, fusion, { importance, recency }))),
    ];
    console.log(table(["", ...BOOSTS], BOOSTS.map(row)));
  }
}
reportIntervals();

/** The profile's point against the single channels, and against the same without importance and recency. */
function reportIntervals() {
  const weighted = `w_lex ${weights.lexical}, w_imp ${weights.importance}, w_rec ${weights.recency}`;
  console.log(`## The profile (${weighted}): difference of nDCG@10 with its 95 % interval, points\n`);
  for (const fusion of Object.keys(FUSIONS)) {
    const row = (name) => {
      const ours = rank(name, fusion, {});
      const evidence = rank(name, fusion, { importance: 0, recency: 0 });
      const against = (theirs, from) => {
        const values = (measured) => measured.map(({ ndcg: value }) => value);
        return interval(pairedInterval(values(from), values(theirs)));
      };
      const channels = ["dense", "bm25_en_v2"].map((channel) => measureChannel(sets[name], channel));
      return [
        name,
        ndcg(ours),
        ...channels.map((theirs) => against(theirs, ours)),
        ...channels.map((theirs) => against(theirs, evidence)),
        against(evidence, ours),
      ];
    };
    const head = [
      "profile",
      "− dense",
      "− BM25",
      "evidence only − dense",
      "evidence only − BM25",
      "profile − evidence only",
    ];
    console.log(table([fusion, ...head], names.map(row)));
  }
}

async function prepareSets() {
  const { createEmbedder } = await load("embeddings/create-embedder.js");
  const modelDir = path.join(tmpdir(), "memgate-test-models");
  const embedder = await createEmbedder({ provider: "embedded", batchSize: 32, timeoutMs: 600_000, modelDir });
  const prepared = {};
  for (const [name, scopes] of Object.entries(scopesOfSets)) {
    const queries = [];
    for (const scope of scopes) {
      const noise = withNoise(scope, core);
      const own = await queryCandidates(scope, { embedder, core });
      queries.push(...own.map((query) => ({ ...query, scope: noise })));
    }
    const plain = queries.filter(({ group }) => group === "plain");
    prepared[name] = queries;
    if (plain.length < queries.length) prepared[`${name}, no adversarial`] = plain;
  }
  await embedder.close();
  return prepared;
}
