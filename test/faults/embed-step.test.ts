import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { verifyScope } from "../../src/services/verify.js";
import { faultyDatabase, type FaultyDatabase } from "../support/faulty-database.js";
import { startLocalApi, type Call, type LocalApi } from "../support/local-api.js";
import { openBench } from "../support/service-bench.js";
import { countRows, readScopeState } from "../support/scope-state.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";
import { WordEmbedder } from "../support/word-embedder.js";
import { expectOk, writeHistory, type History } from "../support/written-history.js";

const STEPS_MAX = 80;
const OTHER = new WordEmbedder({ dimensions: 16, model: "other" });

let database: TestDatabase;
let faulty: FaultyDatabase;
let api: LocalApi;

beforeAll(async () => {
  database = await openTestDatabase();
  faulty = faultyDatabase(database.db);
  api = await startLocalApi(faulty.db, { log: "silent", others: [OTHER] });
});

afterAll(async () => {
  await api.close();
  await database.close();
});

async function embedStep(): Promise<number | null> {
  const step = await api.bench.services.embedPending(new AbortController().signal);
  return step === null ? null : step.embedded;
}

async function embedAll(): Promise<void> {
  while ((await embedStep()) !== null);
}

/** A fresh history in the only scope that has a backlog. */
async function freshBacklog(): Promise<History> {
  faulty.arm({});
  await embedAll();
  return await writeHistory(api);
}

async function statusOf({ scope, ids }: History): Promise<unknown> {
  const reply = await expectOk(api, { method: "GET", path: `/v1/memories/${ids.pending}`, query: { ...scope } });
  return reply.body.embedding_status;
}

describe.each(["before", "after"] as const)(
  "a step of the embedding loop that fails %s any one of its statements",
  (when) => {
    it("attaches nothing or all, and the next step goes on", async () => {
      let history = await freshBacklog();
      const whole = { ...countRows(await readScopeState(database.db, history.scopeId)) };
      for (const added of ["bindings", "change_events"]) whole[added] = (whole[added] ?? 0) + 1;
      for (let at = 1; at <= STEPS_MAX; at++) {
        const before = await readScopeState(database.db, history.scopeId);
        const steps = faulty.arm({ at, when });
        const outcome = await embedStep().catch((error: unknown) => error);
        if (steps.taken.length < at) break;
        expect(outcome).toEqual(new Error(`fault at step ${String(at)}`));
        if (steps.commits === 0) expect(await readScopeState(database.db, history.scopeId)).toEqual(before);
        expect(await verifyScope({ db: database.db }, history.scopeId)).toEqual([]);
        faulty.arm({});
        await embedAll();
        expect(await statusOf(history)).toBe("ready");
        expect(countRows(await readScopeState(database.db, history.scopeId))).toEqual(whole);
        history = await freshBacklog();
      }
      faulty.arm({});
      await embedAll();
      expect(await statusOf(history)).toBe("ready");
    });

    it("closes the backlog of a scope once there is none", async () => {
      const { scopeId } = await freshBacklog();
      await embedStep();
      for (let at = 1; at <= STEPS_MAX; at++) {
        const before = await readScopeState(database.db, scopeId);
        const steps = faulty.arm({ at, when });
        await embedStep().catch(() => undefined);
        if (steps.commits > 0 || steps.taken.length < at) break;
        expect(await readScopeState(database.db, scopeId)).toEqual(before);
      }
      faulty.arm({});
      expect(await embedStep()).toBeNull();
      expect(await verifyScope({ db: database.db }, scopeId)).toEqual([]);
    });
  },
);

describe("a memory that is written to while it is being embedded", () => {
  /** Sends the call after the embedder has got the memory's content and before it answers. */
  async function whileEmbedding(call: Call): Promise<void> {
    const { embedder } = api.bench;
    const calls = embedder.calls.length;
    embedder.delayMs = 150;
    const step = embedStep();
    while (embedder.calls.length === calls) await new Promise((resolve) => setTimeout(resolve, 2));
    embedder.delayMs = 0;
    await expectOk(api, call);
    await step;
  }

  it("keeps its later revision in the journal when only its tags change", async () => {
    const history = await freshBacklog();
    const path = `/v1/memories/${history.ids.pending}`;
    await whileEmbedding({ method: "PATCH", path, body: { ...history.scope, tags: ["late"] } });
    expect(await statusOf(history)).toBe("ready");
    expect(await verifyScope({ db: database.db }, history.scopeId)).toEqual([]);
  });

  it("gets the vector of its new content when that changes", async () => {
    const history = await freshBacklog();
    const path = `/v1/memories/${history.ids.pending}`;
    api.bench.embedder.refuses = (text) => text === "something else";
    await whileEmbedding({ method: "PATCH", path, body: { ...history.scope, content: "something else" } });
    api.bench.embedder.setDown(false);
    expect(await statusOf(history)).toBe("pending");
    await embedAll();
    expect(await statusOf(history)).toBe("ready");
    expect(await verifyScope({ db: database.db }, history.scopeId)).toEqual([]);
  });

  it("gets none when it is deleted", async () => {
    const history = await freshBacklog();
    const path = `/v1/memories/${history.ids.pending}`;
    await whileEmbedding({ method: "DELETE", path, query: { ...history.scope } });
    const bindings = (await readScopeState(database.db, history.scopeId)).bindings ?? [];
    expect(bindings.filter((row) => row.includes(history.ids.pending))).toEqual([]);
    expect(await verifyScope({ db: database.db }, history.scopeId)).toEqual([]);
  });
});

describe("the vectors of another space", () => {
  it("are wanted as soon as that space is to be filled, and make no event", async () => {
    const history = await freshBacklog();
    await embedAll();
    const before = countRows(await readScopeState(database.db, history.scopeId));
    await openBench(database.db, { embedder: OTHER });
    await embedAll();
    const after = countRows(await readScopeState(database.db, history.scopeId));
    expect(after).toEqual({ ...before, bindings: (before.bindings ?? 0) + (before.candidates ?? 0) });
    expect(await verifyScope({ db: database.db }, history.scopeId)).toEqual([]);
  });
});
