// How long does a search take, and how much of it is the database's own work for the same statement?
// Usage: npm run build && node bench/search/run.mjs [--sizes 1000,10000] [--database postgres|embedded]; see options.mjs
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import path from "node:path";
import { benchEmbedded } from "./bench-embedded.mjs";
import { benchPostgres } from "./bench-postgres.mjs";
import { DIMENSIONS, MODEL, startEmbeddingServer } from "./embedding-server.mjs";
import { QUESTIONS } from "./measure.mjs";
import { readOptions } from "./options.mjs";

const options = readOptions();
const folder = mkdtempSync(path.join(tmpdir(), "memgate-bench-"));
const embeddings = await startEmbeddingServer();
const settings = {
  AUTH_MODE: "none",
  EMBEDDING_PROVIDER: "openai",
  EMBEDDING_BASE_URL: embeddings.url,
  EMBEDDING_MODEL: MODEL,
  EMBEDDING_BATCH_SIZE: "500",
};
const benches = { postgres: benchPostgres, embedded: benchEmbedded };
const tables = [];
try {
  for (const database of options.databases) tables.push(await benches[database](options, { settings, folder }));
} finally {
  embeddings.close();
  rmSync(folder, { recursive: true, force: true });
}
writeFileSync(options.out, `${introduction()}\n${tables.join("\n")}`);

function introduction() {
  return `# Search: latency and CPU

Written by bench/search/run.mjs: ${availableParallelism()} cores, Node ${process.versions.node} on ${process.platform} ${process.arch}, and the server, the
database and the clients share them. Memories of 10 to 35 words whose frequencies fall as those of English do, ${DIMENSIONS}
dimensions, stored through the API; ${QUESTIONS} questions of five common words and three rare ones; default limit.

- Embedding: a loopback provider with fixed vectors. Its time, the reply's \`timing_ms.embedding\`, stands apart.
- Bare SQL: the scorer's statement as the server's code sends it, with the same parameters in the same kind of transaction,
  by \`pg\` alone; on the embedded database by its adapter, after the server has stopped. On Postgres requests and bare
  statements take turns, ${options.rounds} rounds each.
- Target: p50 without embedding ≤ 1.5 × bare SQL + 2 ms.
- CPU per call, user and system: of the server's process, and of the Postgres processes behind its connections (without the
  workers of a parallel plan). The embedded database computes in the server, in the thread that also waits for the
  embedding: with eight clients that wait is a wait for the others' searches.
`;
}
