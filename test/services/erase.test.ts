import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { sql } from "../../src/db/sql.js";
import { startLocalApi, type LocalApi } from "../support/local-api.js";
import { ScopeCalls, type ScopeFields } from "../support/scope-calls.js";
import { countRows, readScopeState } from "../support/scope-state.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";
import { uniqueName } from "../support/unique-name.js";
import { expectOk, scopeIdOf, writeHistory } from "../support/written-history.js";

let database: TestDatabase;
let api: LocalApi;
let calls: ScopeCalls;

beforeAll(async () => {
  database = await openTestDatabase();
  api = await startLocalApi(database.db);
  calls = new ScopeCalls(api);
});

afterAll(async () => {
  await api.close();
  await database.close();
});

const user = (): { user_id: string } => ({ user_id: uniqueName("user") });

const COUNTS = {
  memories: 0,
  revisions: 0,
  bindings: 0,
  candidates: 0,
  tags: 0,
  grants: 0,
  edges: 0,
  postings: 0,
  past_postings: 0,
  receipts: 0,
};

describe("one memory", () => {
  it("leaves its id, one more revision and times, and is gone for every reader", async () => {
    const scope = user();
    const id = await calls.store(scope, { content: "red tea", tags: ["a", "b"], external_id: "x" });
    const kept = await calls.store(scope, { content: "black tea" });
    const reply = await calls.erase({ ...scope, target: { memory_id: id } });
    expect(reply.body).toMatchObject({
      dry_run: false,
      scopes: 1,
      counts: { ...COUNTS, memories: 1, revisions: 1, bindings: 1, candidates: 1, tags: 2, postings: 4 },
    });
    expect([await calls.status(scope, id), await calls.status(scope, kept)]).toEqual([404, 200]);
    const [row] = await database.db.run<{ row: object }>(
      sql`select to_jsonb(m) as "row" from memories as m where m.id = ${id}`,
    );
    const times = { created_at: expect.any(String), updated_at: expect.any(String), deleted_at: expect.any(String) };
    expect(row!.row).toEqual({
      ...{ id, scope_id: await scopeIdOf(api, scope), memory_no: 1, revision: 2, content_revision: 0, ...times },
      ...{ agent_id: null, external_id: null, content_key: null, review: "none", sources_valid: true, depth: 0 },
      ...{ effective_valid_until: null, erased_at: expect.any(String) },
    });
    expect(await calls.events(scope)).toEqual([
      ["created", id, 1],
      ["created", kept, 1],
      ["erased", id, 2],
    ]);
    expect(await calls.disagreements(scope)).toEqual([]);
  });

  it("can be a deleted one, once", async () => {
    const scope = user();
    const id = await calls.store(scope, { content: "gone", external_id: "x" });
    await expectOk(api, { method: "DELETE", path: `/v1/memories/${id}`, query: scope });
    expect((await calls.erase({ ...scope, target: { memory_id: id } })).body).toMatchObject({
      counts: { ...COUNTS, memories: 1, revisions: 1, bindings: 1, past_postings: 1 },
    });
    expect((await calls.events(scope)).at(-1)).toEqual(["erased", id, 3]);
    expect((await calls.erase({ ...scope, target: { memory_id: id } })).status).toBe(404);
    const again = await calls.store(scope, { content: "new", external_id: "x" });
    expect(again).not.toBe(id);
    expect(await calls.disagreements(scope)).toEqual([]);
  });

  it("404: is unknown in another scope, as no UUID, and to an agent that may not see it", async () => {
    const workspace = { workspace_id: uniqueName("workspace") };
    const hidden = await calls.store({ ...workspace, agent_id: "ada" }, { content: "mine", visibility: "agent_only" });
    const shared = await calls.store({ ...workspace, agent_id: "ada" }, { content: "ours" });
    const bob = { ...workspace, agent_id: "bob" };
    const refused = [
      await calls.erase({ ...user(), target: { memory_id: hidden } }),
      await calls.erase({ ...bob, target: { memory_id: hidden } }),
      await calls.erase({ ...bob, target: { memory_id: "no-uuid" } }),
    ];
    expect(refused.map((reply) => [reply.status, reply.body.code])).toEqual(refused.map(() => [404, "not_found"]));
    expect((await calls.erase({ ...bob, target: { memory_id: shared } })).status).toBe(200);
  });

  it("a granted agent sees it, and so may erase it, even once it is deleted", async () => {
    const { scope, ids } = await writeHistory(api);
    await expectOk(api, { method: "DELETE", path: `/v1/memories/${ids.named}`, query: scope });
    const eve = await calls.erase({ ...scope, agent_id: "eve", target: { memory_id: ids.named } });
    expect(eve.status).toBe(404);
    const bob = await calls.erase({ ...scope, agent_id: "bob", target: { memory_id: ids.named } });
    expect(bob.body).toMatchObject({ counts: { memories: 1, grants: 1 } });
    expect(await calls.disagreements(scope)).toEqual([]);
  });
});

describe("what was derived from it", () => {
  it("goes too, at any distance, whatever became of it", async () => {
    const scope = user();
    const source = await calls.store(scope, { content: "source" });
    const second = await calls.store(scope, { content: "second", source_memory_ids: [source] });
    const third = await calls.store(scope, { content: "third", source_memory_ids: [second] });
    await expectOk(api, { method: "DELETE", path: `/v1/memories/${second}`, query: scope });
    await expectOk(api, { method: "PATCH", path: `/v1/memories/${source}`, body: { ...scope, content: "other" } });
    expect((await calls.erase({ ...scope, target: { memory_id: source } })).body).toMatchObject({
      counts: { memories: 3, edges: 2 },
    });
    expect((await calls.events(scope)).slice(-3)).toEqual(
      [source, second, third].sort().map((id) => ["erased", id, id === third ? 2 : 3]),
    );
    expect(await calls.disagreements(scope)).toEqual([]);
  });

  it("is kept on demand, and then found by nothing", async () => {
    const scope = user();
    const source = await calls.store(scope, { content: "source" });
    const other = await calls.store(scope, { content: "another source" });
    const second = await calls.store(scope, { content: "second", source_memory_ids: [source, other] });
    await calls.store(scope, { content: "third", source_memory_ids: [second] });
    expect(await calls.contents(scope)).toHaveLength(4);
    const reply = await calls.erase({ ...scope, target: { memory_id: source }, derived: "keep" });
    expect(reply.body).toMatchObject({ counts: { memories: 1, edges: 0 } });
    expect(await calls.contents(scope)).toEqual(["another source"]);
    expect(await calls.disagreements(scope)).toEqual([]);
    // Nor does a change of its other source bring it back.
    await expectOk(api, { method: "POST", path: `/v1/memories/${other}/review`, body: { ...scope, action: "reject" } });
    await expectOk(api, {
      method: "POST",
      path: `/v1/memories/${other}/review`,
      body: { ...scope, action: "approve" },
    });
    expect(await calls.contents(scope)).toEqual(["another source"]);
    expect(await calls.disagreements(scope)).toEqual([]);
  });
});

describe("targets", () => {
  it("source_site: everything that came from there by any revision, and nothing else", async () => {
    const scope = user();
    const moved = await calls.store(scope, { content: "moved", source_site: "mail" });
    await expectOk(api, { method: "PATCH", path: `/v1/memories/${moved}`, body: { ...scope, source_site: "slack" } });
    await calls.store(scope, { content: "mail", source_site: "mail" });
    await calls.store(scope, { content: "slack", source_site: "slack" });
    await calls.store(scope, { content: "none" });
    expect((await calls.erase({ ...scope, target: { source_site: "mail" } })).body).toMatchObject({
      counts: { memories: 2, revisions: 3 },
    });
    expect(await calls.contents(scope)).toEqual(["none", "slack"]);
    expect(await calls.disagreements(scope)).toEqual([]);
  });

  it("session_id and scope", async () => {
    const scope = user();
    await calls.store(scope, { content: "one", session_id: "s1" });
    await calls.store(scope, { content: "two", session_id: "s2" });
    await calls.erase({ ...scope, target: { session_id: "s1" } });
    expect(await calls.contents(scope)).toEqual(["two"]);
    await calls.erase({ ...scope, target: { scope: true } });
    expect(await calls.contents(scope)).toEqual([]);
    expect(countRows(await readScopeState(database.db, await scopeIdOf(api, scope)))).toEqual({
      scopes: 1,
      memories: 2,
      change_events: 4,
    });
    expect(await calls.disagreements(scope)).toEqual([]);
  });

  it("with a user an agent narrows it to what that agent wrote", async () => {
    const scope = user();
    await calls.store({ ...scope, agent_id: "ada" }, { content: "ada's" });
    await calls.store({ ...scope, agent_id: "bob" }, { content: "bob's" });
    await calls.erase({ ...scope, agent_id: "ada", target: { scope: true } });
    expect(await calls.contents(scope)).toEqual(["bob's"]);
  });

  it("in a workspace it reaches every agent's memories", async () => {
    const workspace = { workspace_id: uniqueName("workspace") };
    const ada = await calls.store({ ...workspace, agent_id: "ada" }, { content: "ada's", visibility: "agent_only" });
    await calls.erase({ ...workspace, agent_id: "bob", target: { scope: true } });
    expect(await calls.status({ ...workspace, agent_id: "ada" }, ada)).toBe(404);
  });

  it("user: in every project and mission, with events in each scope, and no other user's", async () => {
    const scope = user();
    const scopes: ScopeFields[] = [scope, { ...scope, project: "p" }, { ...scope, project: "q" }];
    for (const each of scopes) await calls.store(each, { content: "mine" });
    const other = { ...user(), project: "p" };
    await calls.store(other, { content: "theirs" });
    expect((await calls.erase({ ...scope, target: { user: true } })).body).toMatchObject({
      scopes: 3,
      counts: { memories: 3 },
    });
    for (const each of scopes) {
      expect(await calls.contents(each)).toEqual([]);
      expect((await calls.events(each)).map((event) => (event as string[])[0])).toEqual(["created", "erased"]);
    }
    expect(await calls.contents(other)).toEqual(["theirs"]);
    expect(await calls.disagreements(scope)).toEqual([]);
    await calls.store(scope, { content: "again" });
    expect(await calls.contents(scope)).toEqual(["again"]);
  });

  it("source_site over all scopes: leaves alone the journals of those that have none of it", async () => {
    const site = uniqueName("site");
    const scopes = [user(), { workspace_id: uniqueName("workspace"), agent_id: "ada" }, user()] as const;
    await calls.store(scopes[0], { content: "a", source_site: site });
    await calls.store(scopes[1], { content: "b", source_site: site });
    await calls.store(scopes[2], { content: "c" });
    const reply = await calls.erase({ target: { source_site: site }, all_scopes: true });
    expect(reply.body).toMatchObject({ scopes: 2, counts: { memories: 2 } });
    expect([await calls.contents(scopes[0]), await calls.contents(scopes[1]), await calls.contents(scopes[2])]).toEqual(
      [[], [], ["c"]],
    );
    expect(await calls.events(scopes[2])).toHaveLength(1);
    expect(await calls.disagreements(scopes[1])).toEqual([]);
  });

  it("200: nothing, in a scope that nothing was ever written to", async () => {
    const reply = await calls.erase({ ...user(), target: { scope: true } });
    expect(reply.body).toMatchObject({ scopes: 0, counts: COUNTS });
  });
});
