// Loads a conversation through the HTTP API, asks ten questions, and shows what the gate kept and dropped, and why,
// and what would go into a prompt.
// Usage: npm run demo            a server of its own with a temporary folder
//        MEMGATE_URL=http://127.0.0.1:3050 npm run demo        that server; what was loaded is deleted again
import { setTimeout as sleep } from "node:timers/promises";
import { Api } from "./demo/api.mjs";
import { readDataset } from "./demo/dataset.mjs";
import { printContext, printSearch } from "./demo/print.mjs";
import { startServer } from "./demo/server.mjs";

const BATCH = 500;
const TOKEN_BUDGET = 200;
const SCOPE = { project: "memgate-demo", user_id: `demo-${Date.now().toString(36)}` };

const given = process.env.MEMGATE_URL || undefined;
const own = given === undefined ? startServer() : undefined;

/** A server of our own takes its folder with it; another one gets rid of what was loaded. */
const end = async () => {
  if (own !== undefined) await own.stop();
  else await new Api(given).post("/v1/memories/delete", { ...SCOPE, filter: { namespace_scope: "demo" } });
};
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => void end().finally(() => process.exit(1)));
// A reader that has seen enough: `npm run demo | head`.
process.stdout.on("error", () => void end().finally(() => process.exit(0)));

try {
  await run(own === undefined ? { url: given, about: "as that server has it" } : await own.ready, readDataset());
} finally {
  await end();
}

/**
 * @param {{ url: string, about: string }} server
 * @param {import("./demo/dataset.mjs").Dataset} dataset
 */
async function run(server, { title, licence, memories, questions }) {
  const api = new Api(server.url);
  const started = performance.now();
  const memoryOf = await load(api, memories);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const sessions = new Set(memories.map((memory) => memory.session_id)).size;
  const times = memories.map((memory) => memory.event_at.slice(0, 10)).sort();
  console.log(`Conversation   ${title} (${licence})`);
  console.log(`Server         ${server.url}${own === undefined ? "" : ", started for this demo"}`);
  console.log(`Embedding      ${server.about}`);
  console.log(`Scope          project ${SCOPE.project}, user_id ${SCOPE.user_id}`);
  console.log(
    `Loaded         ${memories.length} memories of ${sessions} sessions, ${times[0]} to ${times.at(-1)}, in ${seconds} s`,
  );
  for (const [index, asked] of questions.entries()) {
    const found = await api.post("/v1/memories/search", {
      ...SCOPE,
      query: asked.question,
      token_budget: TOKEN_BUDGET,
      explain: true,
    });
    printSearch({ number: index + 1, asked, found, memoryOf });
    if (index === 0) printContext(found);
  }
}

/**
 * Stores the memories and waits until each has its vector.
 *
 * @param {Api} api
 * @param {import("./demo/dataset.mjs").DemoMemory[]} memories
 */
async function load(api, memories) {
  const byId = new Map();
  for (let start = 0; start < memories.length; start += BATCH) {
    const batch = memories.slice(start, start + BATCH);
    const { results } = await api.post("/v1/memories/batch", { ...SCOPE, memories: batch });
    for (const { index, id } of results) byId.set(id, batch[index]);
  }
  while (await somePending(api)) await sleep(200);
  return (/** @type {string} */ id) => byId.get(id);
}

/** @param {Api} api */
async function somePending(api) {
  let cursor = null;
  do {
    const page = await api.get("/v1/memories", { ...SCOPE, limit: "200", ...(cursor === null ? {} : { cursor }) });
    if (page.memories.some((memory) => memory.embedding_status === "pending")) return true;
    cursor = page.next_cursor;
  } while (cursor !== null);
  return false;
}
