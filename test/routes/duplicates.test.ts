import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { verifyScope } from "../../src/services/verify.js";
import { startLocalApi, type Call, type LocalApi } from "../support/local-api.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";
import { uniqueName } from "../support/unique-name.js";
import { expectOk, idOf, scopeIdOf } from "../support/written-history.js";

let database: TestDatabase;
let api: LocalApi;

beforeAll(async () => {
  database = await openTestDatabase();
  api = await startLocalApi(database.db);
});

afterAll(async () => {
  await api.close();
  await database.close();
});

type Scope = Readonly<Record<string, string>>;

function user(): Scope {
  return { user_id: uniqueName("user") };
}

function post(body: object): Call {
  return { method: "POST", path: "/v1/memories", body };
}

/** Posts with `return_existing`; resolves with the status and the memory's id. */
async function postOnce(scope: Scope, body: object): Promise<{ status: number; id: string }> {
  const reply = await expectOk(api, post({ ...scope, on_duplicate: "return_existing", ...body }));
  return { status: reply.status, id: idOf(reply) };
}

interface Outcome {
  readonly outcome: string;
  readonly id: string;
}

async function batch(scope: Scope, memories: readonly object[]): Promise<Outcome[]> {
  const body = { ...scope, memories, on_duplicate: "return_existing" };
  return (await expectOk(api, { method: "POST", path: "/v1/memories/batch", body })).body.results as Outcome[];
}

async function contents(scope: Scope): Promise<string[]> {
  const { body } = await expectOk(api, { method: "GET", path: "/v1/memories", query: scope });
  return (body.memories as { content: string }[]).map((memory) => memory.content).reverse();
}

describe("on_duplicate: return_existing", () => {
  it("200: returns the memory that has the content already, and writes nothing", async () => {
    const scope = user();
    const first = await postOnce(scope, { content: "one and only", tags: ["first"] });
    expect(first.status).toBe(201);
    expect(await postOnce(scope, { content: "one and only", tags: ["second"] })).toEqual({ status: 200, id: first.id });
    const { body } = await expectOk(api, { method: "GET", path: `/v1/memories/${first.id}`, query: scope });
    expect(body).toMatchObject({ tags: ["first"], revision: 1 });
    const changes = await expectOk(api, { method: "GET", path: "/v1/changes", query: scope });
    expect(changes.body.high_watermark).toBe("1");
  });

  it.each([
    ["another normal form", "caf\u00e9 at noon", "cafe\u0301 at noon"],
    ["white space around", "tea at four", "\n  tea at four\t"],
    ["other white space inside", "tea at four", "tea\u00a0 at\r\nfour"],
  ])("takes %s for the same content", async (_what, one, other) => {
    const scope = user();
    const first = await postOnce(scope, { content: one });
    expect(await postOnce(scope, { content: other })).toEqual({ status: 200, id: first.id });
    expect(await contents(scope)).toEqual([one]);
  });

  it.each([
    ["another case", "Tea at four", "tea at four"],
    ["a compatibility form", "\ufb01ne", "fine"],
    ["no space where there was one", "tea at four", "tea atfour"],
  ])("takes %s for another content", async (_what, one, other) => {
    const scope = user();
    await postOnce(scope, { content: one });
    expect((await postOnce(scope, { content: other })).status).toBe(201);
  });

  it("makes one memory of 20 posts at a time", async () => {
    const scope = user();
    const made = await Promise.all(
      Array.from({ length: 20 }, async (_, n) => {
        return await postOnce(scope, { content: n % 2 === 0 ? "said at once" : " said  at once " });
      }),
    );
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
    expect(made.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(await contents(scope)).toHaveLength(1);
    expect(await verifyScope(database, await scopeIdOf(api, scope))).toEqual([]);
  });

  it("returns the oldest of several", async () => {
    const scope = user();
    const oldest = idOf(await expectOk(api, post({ ...scope, content: "kept twice" })));
    await expectOk(api, post({ ...scope, content: "kept twice" }));
    expect((await postOnce(scope, { content: "kept twice" })).id).toBe(oldest);
  });

  it("looks among the memories of the same author", async () => {
    const workspace = { workspace_id: uniqueName("workspace") };
    const ada = await postOnce({ ...workspace, agent_id: "ada" }, { content: "ours" });
    expect((await postOnce({ ...workspace, agent_id: "bob" }, { content: "ours" })).status).toBe(201);
    expect(await postOnce({ ...workspace, agent_id: "ada" }, { content: "ours" })).toEqual({ status: 200, id: ada.id });
    const scope = user();
    expect((await postOnce(scope, { content: "ours" })).status).toBe(201);
    expect((await postOnce({ ...scope, agent_id: "ada" }, { content: "ours" })).status).toBe(201);
  });

  it("does not return a memory that is deleted, expired or rejected, or says something else now", async () => {
    const scope = user();
    const away: readonly ((id: string) => Call)[] = [
      (id) => ({ method: "DELETE", path: `/v1/memories/${id}`, query: scope }),
      (id) => ({ method: "PATCH", path: `/v1/memories/${id}`, body: { ...scope, expires_at: "2020-01-01T00:00:00Z" } }),
      (id) => ({ method: "POST", path: `/v1/memories/${id}/review`, body: { ...scope, action: "reject" } }),
      (id) => ({ method: "PATCH", path: `/v1/memories/${id}`, body: { ...scope, content: "not any more" } }),
    ];
    for (const call of away) {
      const before = await postOnce(scope, { content: "come and gone" });
      expect(before.status).toBe(201);
      await expectOk(api, call(before.id));
    }
    expect((await postOnce(scope, { content: "come and gone" })).status).toBe(201);
  });

  it("returns a memory whose content was changed to this one", async () => {
    const scope = user();
    const { id } = await postOnce(scope, { content: "before" });
    await expectOk(api, { method: "PATCH", path: `/v1/memories/${id}`, body: { ...scope, content: "after" } });
    expect(await postOnce(scope, { content: "after" })).toEqual({ status: 200, id });
  });
});

describe("a batch with return_existing", () => {
  it("tells for each memory whether it is new, another of the batch or one that was there", async () => {
    const scope = user();
    const { id } = await postOnce(scope, { content: "there before" });
    const results = await batch(scope, [
      { content: "a" },
      { content: " there before" },
      { content: "a " },
      { content: "b" },
    ]);
    expect(results.map(({ outcome }) => outcome)).toEqual(["created", "existing", "existing", "created"]);
    expect(results[1]?.id).toBe(id);
    expect(results[2]?.id).toBe(results[0]?.id);
    expect(await contents(scope)).toEqual(["there before", "a", "b"]);
  });

  it.each([
    ["before", [{ external_id: "e", content: "new" }, { content: "old" }]],
    ["after", [{ content: "old" }, { external_id: "e", content: "new" }]],
  ])("does not take a memory for a duplicate that an item %s replaces", async (_where, memories) => {
    const scope = user();
    await postOnce(scope, { external_id: "e", content: "old" });
    await batch(scope, memories);
    expect((await contents(scope)).sort()).toEqual(["new", "old"]);
  });

  it("does not take an item that has expired for the memory that another one asks for", async () => {
    const scope = user();
    const results = await batch(scope, [{ content: "x", expires_at: "2020-01-01T00:00:00Z" }, { content: "x" }]);
    expect(results.map(({ outcome }) => outcome)).toEqual(["created", "created"]);
    expect(await contents(scope)).toEqual(["x"]);
  });
});

describe("on_duplicate: keep", () => {
  it("201: is the default, and stores the same content again", async () => {
    const scope = user();
    for (const on_duplicate of [undefined, "keep"]) {
      expect((await api.call(post({ ...scope, content: "again", on_duplicate }))).status).toBe(201);
    }
    const { body } = await expectOk(api, {
      method: "POST",
      path: "/v1/memories/batch",
      body: { ...scope, memories: [{ content: "again" }, { content: "again" }] },
    });
    expect(body.counts).toEqual({ created: 2, updated: 0, existing: 0, rejected: 0 });
    expect(await contents(scope)).toEqual(["again", "again", "again", "again"]);
  });
});
