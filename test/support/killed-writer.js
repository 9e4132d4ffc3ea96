// A process of its own, on the compiled code: tells how it finds the database, sends the command before this one again,
// then runs this one and kills itself at a step of it. What it finds is one line of JSON on stdout.

/**
 * @typedef {import("./killed-writer-job.js").KilledWriterJob} KilledWriterJob
 * @typedef {import("./killed-writer-job.js").KilledWriterReport} KilledWriterReport
 */

/** @type {KilledWriterJob} */
const job = JSON.parse(process.argv[2] ?? "");

/** @type {typeof import("../../src/db/open-database.js")} */
const { openDatabase } = await compiled("db/open-database.js");
/** @type {typeof import("../../src/db/migrate.js")} */
const { migrate } = await compiled("db/migrate.js");
/** @type {typeof import("../../src/services/index.js")} */
const { createServices, localCaller, registerSpace, SpaceRegistry, verify } = await compiled("services/index.js");
/** @type {typeof import("../../src/core/profiles.js")} */
const { PROFILES } = await compiled("core/profiles.js");
/** @type {typeof import("../../src/core/limits.js")} */
const { ADAPTIVE_LIMITS_DEFAULT } = await compiled("core/limits.js");
/** @type {typeof import("./faulty-database.js")} */
const { faultyDatabase } = await import(job.faultyDatabase);

const db = await openDatabase(job.database);
await migrate(db);
const faulty = faultyDatabase(db);
const space = { provider: "test", model: "ones", revision: "", dimensions: 4, recipe: "whole_v1" };
const clock = () => new Date();
const spaces = new SpaceRegistry(db, async () => {
  return await Promise.resolve({
    space,
    runtime: "none",
    batchSize: 32,
    refusalOf: () => undefined,
    embedDocuments: async (texts) => {
      return await Promise.resolve(texts.map(() => ({ vector: Float32Array.of(1, 1, 1, 1), truncated: false })));
    },
    embedQuery: async () => await Promise.resolve(Float32Array.of(1, 1, 1, 1)),
    close: async () => {
      await Promise.resolve();
    },
  });
});
await registerSpace({ db, spaces, clock }, space, { baseUrl: null, settings: {} });
const services = createServices({
  db: faulty.db,
  spaces,
  clock,
  writeEmbedWaitMs: 5_000,
  receiptRetentionMs: null,
  gatePolicy: { similarity_threshold: 0.3, profile: PROFILES.balanced, limits: ADAPTIVE_LIMITS_DEFAULT },
  onPending: () => undefined,
});
const caller = localCaller(1);
const scope = {
  names: { project: null, mission: null, userId: job.userId, workspaceId: null },
  agentId: null,
};

/** @type {string[]} */
const disagreements = [];
for await (const { check, detail } of verify({ db })) disagreements.push(`${check}: ${detail}`);
const replayed = job.previous === null ? null : (await write(job.previous)).replayed;
const listed = await services.listMemories(caller, { ...scope, filters: {}, after: undefined, limit: 100 });
const contents = listed.memories.map((memory) => memory.content).sort();

/** @type {import("./faulty-database.js").Faults} */
const faults = job.fault === null ? {} : { ...job.fault, strike };
const steps = faulty.arm(faults);
if (job.current !== null) await write(job.current);
tell({ disagreements, replayed, contents, steps: steps.taken });
await db.close();

async function strike() {
  tell({ disagreements, replayed, contents, steps: steps.taken });
  process.kill(process.pid, "SIGKILL");
  await new Promise(() => undefined);
}

/** @param {KilledWriterReport} report */
function tell(report) {
  process.stdout.write(`${JSON.stringify(report)}\n`);
}

/**
 * Two new memories, and one that replaces what the command before left under the same name.
 *
 * @param {string} key
 */
async function write(key) {
  const drafts = [draft(`${key} one`, null), draft(`${key} two`, null), draft(`${key} named`, "named")];
  return await services.createMemories(caller, {
    ...scope,
    drafts,
    paths: drafts.map(() => ""),
    atomic: true,
    onDuplicate: "keep",
    once: { key, operation: "POST /v1/memories/batch", command: { key } },
  });
}

/**
 * @param {string} content
 * @param {string | null} externalId
 */
function draft(content, externalId) {
  return {
    ...{ content, externalId, tags: ["a", "b"], importance: 0.5, trust: 1, metadata: {}, eventAt: null },
    ...{ expiresAt: null, namespace: null, sourceSite: null, sourceUrl: null, sessionId: null, episodeType: null },
    ...{ visibility: null, sourceMemoryIds: [] },
  };
}

/** @param {string} path */
async function compiled(path) {
  return await import(new URL(`../../dist/${path}`, import.meta.url).href);
}
