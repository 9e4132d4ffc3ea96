import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { openDatabase } from "../../src/db/open-database.js";
import type { Database } from "../../src/db/database.js";
import { sql } from "../../src/db/sql.js";
import { verifyScope } from "../../src/services/verify.js";
import { faultyDatabase, type Faults, type FaultyDatabase } from "../support/faulty-database.js";
import { startLocalApi, type Call, type LocalApi } from "../support/local-api.js";
import { countRows, readScopeState, type ScopeState } from "../support/scope-state.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";
import { uniqueName } from "../support/unique-name.js";
import { scopeIdOf, writeHistory } from "../support/written-history.js";
import { WRITES } from "./writes.js";

/** More steps than any of these writes takes. */
const STEPS_MAX = 80;

let database: TestDatabase;
let faulty: FaultyDatabase;
let api: LocalApi;
/** Sees the tables without being counted, and is not among what a lost connection hits. */
let admin: Database;

beforeAll(async () => {
  database = await openTestDatabase();
  admin = database.target === "embedded" ? database.db : await openDatabase(database.settings);
  faulty = faultyDatabase(database.db);
  api = await startLocalApi(faulty.db, { log: "silent" });
});

afterAll(async () => {
  await api.close();
  if (admin !== database.db) await admin.close();
  await database.close();
});

interface Started {
  readonly scopeId: number;
  readonly call: Call;
  readonly before: ScopeState;
}

type Start = () => Promise<Started>;

/** A fresh history and one write to it. */
function startOf(writeTo: (typeof WRITES)[string]): Start {
  return async () => {
    faulty.arm({});
    const history = await writeHistory(api);
    const before = await readScopeState(admin, history.scopeId);
    return { scopeId: history.scopeId, call: { ...writeTo(history), key: uniqueName("key") }, before };
  };
}

/** How many rows every table has after the write. */
async function runWithoutFault(start: Start): Promise<{ rows: object }> {
  const { scopeId, call } = await start();
  faulty.arm({});
  expect((await api.call(call)).status).toBeLessThan(300);
  return { rows: countRows(await readScopeState(admin, scopeId)) };
}

/** What was hit before its commit is as if it had never begun; else it is done. Either way the same key does it once. */
async function retryOnce({ scopeId, call }: Started, was: { done: boolean; rows: object }): Promise<void> {
  faulty.arm({});
  const retried = await api.call(call);
  expect({ status: retried.status < 300, replayed: retried.replayed }).toEqual({ status: true, replayed: was.done });
  const again = await api.call(call);
  expect({ replayed: again.replayed, status: again.status, text: again.text }).toEqual({
    replayed: true,
    status: retried.status,
    text: retried.text,
  });
  expect(countRows(await readScopeState(admin, scopeId))).toEqual(was.rows);
  expect(await verifyScope({ db: admin }, scopeId)).toEqual([]);
}

/** Lets every step of a write fail in turn; resolves with how many there were. */
async function failEverywhere(start: Start, faults: Omit<Faults, "at">): Promise<number> {
  const { rows } = await runWithoutFault(start);
  let started: Started | undefined;
  for (let at = 1; at <= STEPS_MAX; at++) {
    started ??= await start();
    const steps = faulty.arm({ ...faults, at });
    const { status } = await api.call(started.call);
    if (steps.taken.length < at) {
      // Only what was rolled back is still fresh: the last one ran through, as its replay shows.
      expect(status).toBeLessThan(300);
      await retryOnce(started, { done: true, rows });
      return at - 1;
    }
    if (faults.strike === undefined) expect(status).toBe(500);
    const done = steps.commits > 0;
    if (!done) expect(await readScopeState(admin, started.scopeId)).toEqual(started.before);
    if (done || at % 5 === 0) {
      await retryOnce(started, { done, rows });
      started = undefined;
    }
  }
  throw new Error(`a write of more than ${String(STEPS_MAX)} steps`);
}

describe.each(Object.keys(WRITES))("%s", (name) => {
  it("is done wholly or not at all when any one of its statements is not reached", async () => {
    expect(await failEverywhere(startOf(WRITES[name]!), { when: "before" })).toBeGreaterThan(5);
  });

  it("is done wholly or not at all when it ends after any one of its statements", async () => {
    expect(await failEverywhere(startOf(WRITES[name]!), { when: "after" })).toBeGreaterThan(5);
  });
});

describe("a first write to a scope", () => {
  it("leaves nothing but the scope when any one of its statements fails", async () => {
    const scope = { user_id: uniqueName("user") };
    const call: Call = { method: "POST", path: "/v1/memories", body: { ...scope, content: "first" }, key: "first" };
    for (let at = 1; at <= STEPS_MAX; at++) {
      const steps = faulty.arm({ at, when: "before" });
      const { status } = await api.call(call);
      if (steps.commits > 0) break;
      expect(status).toBe(500);
    }
    faulty.arm({});
    expect((await api.call(call)).replayed).toBe(true);
    const scopeId = await scopeIdOf(api, scope);
    expect(countRows(await readScopeState(admin, scopeId))).toMatchObject({
      memories: 1,
      change_events: 1,
      receipts: 1,
    });
    expect(await verifyScope({ db: admin }, scopeId)).toEqual([]);
  });
});

describe("a connection that is lost", () => {
  /** Ends every other connection to the database, and goes on. */
  async function endConnections(): Promise<void> {
    await admin.run(sql`
      select pg_terminate_backend(pid)
      from pg_stat_activity
      where datname = current_database()
        and pid <> pg_backend_pid()
        and application_name = 'memgate'
    `);
  }

  it.each(["storing a batch", "deleting a memory"])("leaves %s done wholly or not at all", async (name) => {
    // The embedded database has no connections.
    if (database.target === "embedded") return;
    const steps = await failEverywhere(startOf(WRITES[name]!), { when: "before", strike: endConnections });
    expect(steps).toBeGreaterThan(5);
  });
});
