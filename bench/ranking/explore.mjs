import { tmpdir } from "node:os";
import path from "node:path";
import { queryCandidates } from "./candidates.mjs";
import { readSets } from "./read-sets.mjs";
const load = (file) => import(new URL(`../../dist/${file}`, import.meta.url).href);
const { createEmbedder } = await load("embeddings/create-embedder.js");
const { analyse } = await load("core/tokenise.js");
const { idf } = await load("core/coverage.js");
const { relevance } = await load("core/score.js");
const embedder = await createEmbedder({ provider: "embedded", batchSize: 32, timeoutMs: 600000, modelDir: path.join(tmpdir(), "memgate-test-models"), runtime: "auto" });
const sets = readSets();
for (const [name, scopes] of Object.entries(sets)) {
  const t = performance.now();
  let n = 0, d = 0;
  for (const scope of scopes) { n += (await queryCandidates(scope, { embedder, core: { analyse, idf, relevance } })).length; d += scope.documents.length; }
  console.log(name, d, n, ((performance.now() - t) / 1000).toFixed(1));
}
await embedder.close();
