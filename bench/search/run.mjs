// How long does a search take, and how much of it is the database's own work for the same statement?
// Usage: npm run build && node bench/search/run.mjs [--sizes 1000,10000] [--database postgres|embedded]; see options.mjs
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { startServer } from "../startup/server.mjs";
import { fill, post } from "./client.mjs";
import { startCapturing } from "./capture-statement.mjs";
import { memory } from "./corpus.mjs";
import { DIMENSIONS, MODEL, startEmbeddingServer } from "./embedding-server.mjs";
import { CLIENTS, httpSearch, inTurns, isServed, QUESTIONS, requestOf } from "./measure.mjs";
import { MODES } from "./modes.mjs";
import { ownDatabase, postgresBare } from "./on-postgres.mjs";
import { readOptions } from "./options.mjs";
import { table, tableRow } from "./report.mjs";

/** The embedded database is made for some 10,000 memories. */
const EMBEDDED_MOST = 10_000;

const options = readOptions();
const { openDatabase } = await import(new URL("db/open-database.js", options.dist).href);
const folder = mkdtempSync(path.join(tmpdir(), "memgate-bench-"));
const embeddings = await startEmbeddingServer();
const settings = {
  AUTH_MODE: "none",
  EMBEDDING_PROVIDER: "openai",
  EMBEDDING_BASE_URL: embeddings.url,
  EMBEDDING_MODEL: MODEL,
  EMBEDDING_BATCH_SIZE: "500",
};
const tables = [];
try {
  if (options.databases.includes("postgres")) tables.push(await benchPostgres());
  if (options.databases.includes("embedded")) tables.push(await benchEmbedded());
} finally {
  embeddings.close();
  rmSync(folder, { recursive: true, force: true });
}
writeFileSync(options.out, `${introduction()}\n${tables.join("\n")}`);

async function benchPostgres() {
  const database = await ownDatabase(options.databaseUrl);
  try {
    const own = { ...settings, DATABASE_URL: database.url, MEMGATE_DATA_DIR: folder };
    const server = await startServer(fileURLToPath(options.dist), folder, own);
    const bare = await postgresBare(options.dist, database.url);
    const db = await openDatabase({ kind: "postgres", url: database.url, poolMax: 2 });
    const capturing = await startCapturing(options.dist, db, own);
    const rows = await eachCase(server.url, async (given) => {
      const prepared = await prepareAll(capturing, bare, given);
      const pids = async () => ({ server: [server.pid], postgres: await bare.backends("memgate") });
      const kinds = {
        request: { work: httpSearch(server.url, given.mode, given.size), pids },
        bare: {
          work: (n) => prepared[n % QUESTIONS].run(),
          pids: async () => ({ postgres: await bare.backends("bench") }),
        },
      };
      return await inTurns(kinds, { clients: given.clients, rounds: options.rounds });
    }, bare.settle);
    await capturing.close();
    await bare.close();
    const title = db.description.replace(/ at .*/, "");
    await db.close();
    await server.stop();
    return table(title, rows);
  } finally {
    await database.drop();
  }
}

/** The server and the bare statements take turns as a whole: the folder serves one process. */
async function benchEmbedded() {
  const data = path.join(folder, "embedded");
  const server = await startServer(fileURLToPath(options.dist), data, settings);
  const requests = new Map();
  await eachCase(server.url, async (given) => {
    const pids = () => Promise.resolve({ server: [server.pid] });
    const kinds = { request: { work: httpSearch(server.url, given.mode, given.size), pids } };
    const measured = await inTurns(kinds, { clients: given.clients, rounds: options.rounds });
    requests.set(JSON.stringify(given), measured.request);
    return { ...measured, bare: measured.request };
  });
  await server.stop();
  const db = await openDatabase({ kind: "embedded", dataDir: path.join(data, "postgres") });
  const capturing = await startCapturing(options.dist, db, { ...settings, MEMGATE_DATA_DIR: data });
  const bare = {
    prepare: ({ scopeId, statement }) => ({ run: () => db.inScope(scopeId).run(statement) }),
  };
  const rows = [];
  for (const [key, request] of requests) {
    const given = JSON.parse(key);
    const prepared = await prepareAll(capturing, bare, given);
    const kinds = { bare: { work: (n) => prepared[n % QUESTIONS].run(), pids: () => Promise.resolve({}) } };
    const measured = await inTurns(kinds, { clients: given.clients, rounds: options.rounds });
    rows.push(tableRow({ ...given, request, bare: measured.bare }));
  }
  await capturing.close();
  const title = db.description.replace(/ in .*/, "");
  await db.close();
  return table(title, rows);
}

/** Fills a scope of every size, and then measures every case. */
async function eachCase(url, measure, settle = () => Promise.resolve()) {
  const embedded = settle.name === "";
  const sizes = options.sizes.filter((size) => !embedded || size <= EMBEDDED_MOST);
  for (const size of sizes) {
    const started = performance.now();
    await fill(url, size, memory);
    console.error(`${size} memories stored in ${((performance.now() - started) / 1000).toFixed(0)} s`);
  }
  await settle();
  const rows = [];
  for (const size of sizes) {
    for (const mode of options.modes) {
      if (!(await isServed(url, mode, size))) {
        console.error(`${mode} is not served`);
        continue;
      }
      for (const clients of CLIENTS) {
        rows.push(tableRow({ size, mode, clients, ...(await measure({ size, mode, clients })) }));
        console.error(rows.at(-1));
      }
    }
  }
  return rows;
}

/** The statement of each question, ready to be run. */
async function prepareAll(capturing, bare, { mode, size }) {
  const prepared = [];
  for (let n = 0; n < QUESTIONS; n++) {
    const captured = await capturing.during(() => post(capturing.url + MODES[mode].path, requestOf(mode, size, n)));
    prepared.push(await bare.prepare(captured));
  }
  if (options.explain && bare.settle) console.log(`\n# ${mode}, ${size} memories\n${await prepared[0].explain()}`);
  return prepared;
}

function introduction() {
  return `# Search: latency and CPU

Written by bench/search/run.mjs. ${availableParallelism()} cores, Node ${process.versions.node} on ${process.platform}; the server, Postgres and
the clients share them. Memories of 10 to 35 words whose frequencies fall as those of English do, ${DIMENSIONS} dimensions;
${QUESTIONS} questions of five common words and three rare ones; no key, default limit. The embedding is a loopback provider with
fixed vectors: its time is the reply's \`timing_ms.embedding\` and stands apart. Bare SQL is the same statement with the
same parameters, in the same kind of transaction, on ten connections of \`pg\` (the embedded database: by its adapter,
after the server); requests and bare statements take turns, ${options.rounds} rounds. CPU is per call; Postgres: of the
connections' processes.
`;
}
