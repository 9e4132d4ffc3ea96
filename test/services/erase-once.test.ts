import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { startLocalApi, type LocalApi } from "../support/local-api.js";
import { ScopeCalls } from "../support/scope-calls.js";
import { readScopeState } from "../support/scope-state.js";
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

describe("a preview", () => {
  it("counts what the erasure then takes, place by place, and changes nothing", async () => {
    const { scope, scopeId } = await writeHistory(api);
    await calls.store(scope, { content: "kept under a key" }, uniqueName("key"));
    const before = await readScopeState(database.db, scopeId);
    const preview = await calls.erase({ ...scope, target: { scope: true }, dry_run: true });
    expect(await readScopeState(database.db, scopeId)).toEqual(before);
    const real = await calls.erase({ ...scope, target: { scope: true }, expected_digest: preview.body.digest });
    expect(real.body).toEqual({ ...preview.body, dry_run: false });
    expect(Object.values(real.body.counts as object).every((count) => (count as number) > 0)).toBe(true);
    expect(await calls.disagreements(scope)).toEqual([]);
  });

  it("409: holds no more once a memory has come, gone or changed", async () => {
    const scope = user();
    const id = await calls.store(scope, { content: "one" });
    const preview = async (): Promise<unknown> =>
      (await calls.erase({ ...scope, target: { scope: true }, dry_run: true })).body.digest;
    const changes = [
      async () => await calls.store(scope, { content: "two" }),
      async () =>
        await expectOk(api, { method: "PATCH", path: `/v1/memories/${id}`, body: { ...scope, content: "three" } }),
      async () => await expectOk(api, { method: "DELETE", path: `/v1/memories/${id}`, query: scope }),
    ];
    for (const change of changes) {
      const expected_digest = await preview();
      await change();
      const refused = await calls.erase({ ...scope, target: { scope: true }, expected_digest });
      expect([refused.status, refused.body.code]).toEqual([409, "preview_changed"]);
    }
    expect(await calls.contents(scope)).toEqual(["two"]);
  });
});

describe("receipts", () => {
  it("410: whatever wrote it is not done again, nor is its reply to be had", async () => {
    const scope = user();
    const [single, batch, patch] = [uniqueName("key"), uniqueName("key"), uniqueName("key")];
    const id = await calls.store(scope, { content: "secret" }, single);
    const batchCall = {
      method: "POST",
      path: "/v1/memories/batch",
      body: { ...scope, memories: [{ content: "b" }] },
      key: batch,
    } as const;
    const patchCall = {
      method: "PATCH",
      path: `/v1/memories/${id}`,
      body: { ...scope, content: "c" },
      key: patch,
    } as const;
    await expectOk(api, batchCall);
    await expectOk(api, patchCall);
    expect((await calls.erase({ ...scope, target: { scope: true } })).body).toMatchObject({ counts: { receipts: 3 } });
    const create = {
      method: "POST",
      path: "/v1/memories",
      body: { ...scope, content: "secret" },
      key: single,
    } as const;
    for (const call of [create, { ...create, body: { ...scope, content: "other" } }, batchCall, patchCall]) {
      const reply = await api.call(call);
      expect([reply.status, reply.body.code]).toEqual([410, "memory_erased"]);
    }
    expect(await calls.contents(scope)).toEqual([]);
    expect(await calls.disagreements(scope)).toEqual([]);
  });

  it("the erasure itself is done once under a key, and says so", async () => {
    const scope = user();
    await calls.store(scope, { content: "one" });
    const key = uniqueName("key");
    const first = await calls.erase({ ...scope, target: { user: true } }, key);
    await calls.store(scope, { content: "two" });
    const second = await calls.erase({ ...scope, target: { user: true } }, key);
    expect([first.replayed, second.replayed, second.text === first.text]).toEqual([false, true, true]);
    expect(await calls.contents(scope)).toEqual(["two"]);
    const conflict = await calls.erase({ ...scope, target: { scope: true } }, key);
    expect([conflict.status, conflict.body.code]).toEqual([409, "idempotency_conflict"]);
  });

  it("hold no Idempotency-Key, only its HMAC", async () => {
    const scope = user();
    const key = uniqueName("key");
    await calls.store(scope, { content: "one" }, key);
    const [receipt] = (await readScopeState(database.db, await scopeIdOf(api, scope))).receipts!;
    expect(JSON.parse(receipt!)).toMatchObject({ key: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(receipt).not.toContain(key);
  });
});

it("writes and erasures at once leave everything in agreement", async () => {
  const scope = user();
  const work = Array.from({ length: 10 }, async (_, index) => {
    const body = { ...scope, content: `note ${String(index)}`, source_site: index % 2 === 0 ? "even" : "odd" };
    // 410 where another erasure was faster than the reply.
    expect([201, 410]).toContain((await api.call({ method: "POST", path: "/v1/memories", body })).status);
    return await calls.erase({ ...scope, target: { source_site: index % 2 === 0 ? "even" : "odd" } });
  });
  const replies = await Promise.all(work);
  expect(replies.map((reply) => reply.status)).toEqual(replies.map(() => 200));
  expect(await calls.contents(scope)).toEqual([]);
  expect(await calls.disagreements(scope)).toEqual([]);
});
