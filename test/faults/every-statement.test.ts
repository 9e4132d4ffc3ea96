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
import { expectOk, scopeIdOf, writeHistory } from "../support/written-history.js";
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

/** How many rows every table has after the write, and which step its commit is. */
async function runWithoutFault(start: Start): Promise<{ rows: object; commitAt: number }> {
  const { scopeId, call } = await start();
  const steps = faulty.arm({});
  expect((await api.call(call)).status).toBeLessThan(300);
  const commitAt = steps.taken.indexOf("commit") + 1;
  return { rows: countRows(await readScopeState(admin, scopeId)), commitAt };
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
async function failEverywhere(start: Start, strike?: Faults["strike"]): Promise<number> {
  const { rows } = await runWithoutFault(start);
  let started: Started | undefined;
  for (let at = 1; at <= STEPS_MAX; at++) {
    started ??= await start();
    const steps = faulty.arm({ at, ...(strike === undefined ? {} : { strike }) });
    const { status } = await api.call(started.call);
    if (steps.taken.length < at) {
      // Only what was rolled back is still fresh: the last one ran through, as its replay shows.
      expect(status).toBeLessThan(300);
      await retryOnce(started, { done: true, rows });
      return at - 1;
    }
    if (strike === undefined) expect(status).toBe(500);
    const done = steps.commits > 0;
    if (!done) expect(await readScopeState(admin, started.scopeId)).toEqual(started.before);
    if (done || at % 8 === 0) {
      await retryOnce(started, { done, rows });
      started = undefined;
    }
  }
  throw new Error(`a write of more than ${String(STEPS_MAX)} steps`);
}

describe.each(Object.keys(WRITES))("%s", (name) => {
  const start = startOf(WRITES[name]!);

  it("is done wholly or not at all when it ends before any one of its statements", async () => {
    expect(await failEverywhere(start)).toBeGreaterThan(5);
  });

  it("is done once when nothing but its reply is lost", async () => {
    const { rows, commitAt } = await runWithoutFault(start);
    const started = await start();
    faulty.arm({ at: commitAt, when: "after" });
    expect((await api.call(started.call)).status).toBe(500);
    await retryOnce(started, { done: true, rows });
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

describe("an erasure over several scopes", () => {
  it("erases in all of them or in none when any one of its statements fails", async () => {
    const user = { user_id: uniqueName("user") };
    const scopeIds: number[] = [];
    faulty.arm({});
    for (const project of ["one", "two", "three"]) {
      const body = { ...user, project, content: `of project ${project}`, tags: [project] };
      await expectOk(api, { method: "POST", path: "/v1/memories", body });
      scopeIds.push(await scopeIdOf(api, { ...user, project }));
    }
    const states = async (): Promise<ScopeState[]> => {
      return await Promise.all(scopeIds.map(async (scopeId) => await readScopeState(admin, scopeId)));
    };
    const before = await states();
    const call: Call = { method: "POST", path: "/v1/erase", body: { ...user, target: { user: true } }, key: "gone" };
    let at = 1;
    for (let commits = 0; commits === 0 && at <= STEPS_MAX; at++) {
      const steps = faulty.arm({ at });
      const { status } = await api.call(call);
      ({ commits } = steps);
      if (commits > 0) break;
      expect({ status, states: await states() }).toEqual({ status: 500, states: before });
    }
    expect(at).toBeGreaterThan(20);
    faulty.arm({});
    expect((await api.call(call)).replayed).toBe(true);
    for (const scopeId of scopeIds) {
      const rows = countRows(await readScopeState(admin, scopeId));
      expect({ revisions: rows.memory_revisions, events: rows.change_events }).toEqual({
        revisions: undefined,
        events: 2,
      });
      expect(await verifyScope({ db: admin }, scopeId)).toEqual([]);
    }
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
    const steps = await failEverywhere(startOf(WRITES[name]!), endConnections);
    expect(steps).toBeGreaterThan(5);
  });
});
