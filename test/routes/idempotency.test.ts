import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { startLocalApi, type Call, type LocalApi, type Reply } from "../support/local-api.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";
import { uniqueName } from "../support/unique-name.js";
import { verifyScope } from "../../src/services/verify.js";
import { expectOk, idOf, scopeIdOf } from "../support/written-history.js";

const DAY_MS = 86_400_000;

let database: TestDatabase;
let api: LocalApi;
let now = Date.parse("2026-01-01T00:00:00Z");

beforeAll(async () => {
  database = await openTestDatabase();
  api = await startLocalApi(database.db, { clock: () => new Date(now), receiptRetentionMs: 30 * DAY_MS });
});

afterAll(async () => {
  await api.close();
  await database.close();
});

function user(): { user_id: string } {
  return { user_id: uniqueName("user") };
}

function post(body: object, key?: string): Call {
  return { method: "POST", path: "/v1/memories", body, ...(key === undefined ? {} : { key }) };
}

/** All of a reply that a caller sees, but for the request's id and its time. */
function seen({ status, text, headers }: Reply): unknown {
  const { etag, location } = Object.fromEntries(headers);
  return { status, text, etag, location };
}

async function list(scope: Readonly<Record<string, string>>): Promise<unknown[]> {
  const { body } = await expectOk(api, { method: "GET", path: "/v1/memories", query: scope });
  return body.memories as unknown[];
}

async function eventCount(scope: Readonly<Record<string, string>>): Promise<number> {
  return Number((await expectOk(api, { method: "GET", path: "/v1/changes", query: scope })).body.high_watermark);
}

describe("the same command under the same key", () => {
  it("is done once by 50 at a time: one memory, one event, 50 equal replies", async () => {
    const scope = user();
    const call = post({ ...scope, content: "said fifty times" }, "fifty");
    const replies = await Promise.all(Array.from({ length: 50 }, async () => await api.call(call)));
    expect(new Set(replies.map((reply) => JSON.stringify(seen(reply)))).size).toBe(1);
    expect(replies[0]?.status).toBe(201);
    expect(replies.filter((reply) => !reply.replayed)).toHaveLength(1);
    expect(await list(scope)).toHaveLength(1);
    expect(await eventCount(scope)).toBe(1);
    expect(await verifyScope(database, await scopeIdOf(api, scope))).toEqual([]);
  });

  it("is answered byte for byte as at first after an update and after a delete", async () => {
    const scope = user();
    const call = post({ ...scope, content: "as it was", tags: ["b", "a"], metadata: { z: 1, a: { y: 2.5 } } }, "first");
    const first = await expectOk(api, call);
    expect(first.replayed).toBe(false);
    const path = `/v1/memories/${idOf(first)}`;
    now += 1_000;
    await expectOk(api, { method: "PATCH", path, body: { ...scope, content: "as it is", tags: null, metadata: null } });
    const updated = await api.call(call);
    expect({ reply: seen(updated), replayed: updated.replayed }).toEqual({ reply: seen(first), replayed: true });
    await expectOk(api, { method: "DELETE", path, query: scope });
    const deleted = await api.call(call);
    expect({ reply: seen(deleted), replayed: deleted.replayed }).toEqual({ reply: seen(first), replayed: true });
    expect(await list(scope)).toEqual([]);
  });

  it("has the embedding_status of the first reply, whatever has been attached since", async () => {
    const scope = user();
    api.bench.embedder.setDown(true);
    const call = post({ ...scope, content: "not yet embedded" }, "pending");
    const first = await expectOk(api, call);
    api.bench.embedder.setDown(false);
    while ((await api.bench.services.embedPending(new AbortController().signal)) !== null);
    const path = `/v1/memories/${idOf(first)}`;
    expect((await expectOk(api, { method: "GET", path, query: scope })).body.embedding_status).toBe("ready");
    expect(first.body.embedding_status).toBe("pending");
    expect(seen(await api.call(call))).toEqual(seen(first));
  });

  it("deletes nothing where it found nothing at first, whatever has been written since", async () => {
    const scope = user();
    const remove = { method: "POST", path: "/v1/memories/delete", key: "d" } as const;
    const body = { ...scope, filter: { source_site: "mail" } };
    const first = await expectOk(api, { ...remove, body });
    await expectOk(api, post({ ...scope, content: "x", source_site: "mail" }));
    const again = await expectOk(api, { ...remove, body });
    expect(seen(again)).toEqual(seen(first));
    expect(await list(scope)).toHaveLength(1);
  });

  it("is known whatever the order of its fields", async () => {
    const scope = user();
    const first = await expectOk(api, post({ ...scope, content: "in order", importance: 0.25 }, "order"));
    expect(seen(await api.call(post({ importance: 0.25, content: "in order", ...scope }, "order")))).toEqual(
      seen(first),
    );
  });

  const later: Readonly<Record<string, (id: string, scope: Record<string, string>) => Call>> = {
    "a patch": (id, scope) => ({ method: "PATCH", path: `/v1/memories/${id}`, body: { ...scope, tags: ["x"] } }),
    "a patch that changes nothing": (id, scope) => {
      return { method: "PATCH", path: `/v1/memories/${id}`, body: { ...scope, importance: 0.5 } };
    },
    "a delete": (id, scope) => ({ method: "DELETE", path: `/v1/memories/${id}`, query: scope }),
    "a bulk delete": (id, scope) => ({ method: "POST", path: "/v1/memories/delete", body: { ...scope, ids: [id] } }),
    "a review": (id, scope) => {
      return { method: "POST", path: `/v1/memories/${id}/review`, body: { ...scope, action: "reject" } };
    },
    "a batch": (_id, scope) => {
      const memories = [{ content: "one" }, { content: "" }, { content: "two", external_id: "e" }];
      return { method: "POST", path: "/v1/memories/batch", body: { ...scope, memories, atomic: false } };
    },
  };

  it.each(Object.keys(later))("replays %s, which is done once", async (name) => {
    const scope = user();
    const id = idOf(await expectOk(api, post({ ...scope, content: "to be changed" })));
    const call: Call = { ...later[name]!(id, scope), key: "again" };
    const first = await expectOk(api, call);
    const events = await eventCount(scope);
    now += 1_000;
    const second = await api.call(call);
    expect({ reply: seen(second), replayed: second.replayed }).toEqual({ reply: seen(first), replayed: true });
    expect(await eventCount(scope)).toBe(events);
  });

  it("is done again when its receipt has outlived RECEIPT_RETENTION_DAYS", async () => {
    const scope = user();
    const call = post({ ...scope, content: "kept for thirty days" }, "old");
    const first = await expectOk(api, call);
    now += 30 * DAY_MS;
    expect(seen(await api.call(call))).toEqual(seen(first));
    now += 1;
    const again = await expectOk(api, call);
    expect({ replayed: again.replayed, same: idOf(again) === idOf(first) }).toEqual({ replayed: false, same: false });
    expect(seen(await api.call(call))).toEqual(seen(again));
  });
});

describe("another command under a used key", () => {
  it("409: is refused, and the first one is still replayed", async () => {
    const scope = user();
    const first = await expectOk(api, post({ ...scope, content: "first" }, "used"));
    const other = await api.call(post({ ...scope, content: "second" }, "used"));
    expect({ status: other.status, code: other.body.code }).toEqual({ status: 409, code: "idempotency_conflict" });
    expect(seen(await api.call(post({ ...scope, content: "first" }, "used")))).toEqual(seen(first));
    expect(await list(scope)).toHaveLength(1);
  });

  it("is done where only the actor, the scope, the method or the route is another", async () => {
    const scope = user();
    const body = { ...scope, content: "the same words" };
    const calls: Call[] = [
      post(body, "shared"),
      { ...post(body, "shared"), actor: "another key" },
      post({ ...user(), content: "the same words" }, "shared"),
      post({ ...body, project: "p" }, "shared"),
      { method: "POST", path: "/v1/memories/batch", body: { ...scope, memories: [{ content: "x" }] }, key: "shared" },
      {
        method: "POST",
        path: "/v1/memories/delete",
        body: { ...scope, filter: { tags_any: ["none"] } },
        key: "shared",
      },
    ];
    for (const call of calls) {
      const reply = await expectOk(api, call);
      expect(reply.replayed).toBe(false);
      expect((await expectOk(api, call)).replayed).toBe(true);
    }
    expect(await list(scope)).toHaveLength(3);
  });
});

describe("a command that fails", () => {
  it("does not use up its key", async () => {
    const scope = user();
    const id = idOf(await expectOk(api, post({ ...scope, content: "at revision 1" })));
    const path = `/v1/memories/${id}`;
    const patch = (body: object): Call => ({ method: "PATCH", path, body: { ...scope, ...body }, key: "tried" });
    expect((await api.call(patch({ tags: ["x"], expected_revision: 7 }))).status).toBe(409);
    expect((await api.call(patch({ tags: 1 }))).status).toBe(400);
    const done = await expectOk(api, patch({ tags: ["y"] }));
    expect({ replayed: done.replayed, revision: done.body.revision }).toEqual({ replayed: false, revision: 2 });
  });
});

describe("an Idempotency-Key", () => {
  it("may have 1 to 256 visible characters", async () => {
    for (const key of ["!", "~".repeat(256)]) {
      const call = post({ ...user(), content: "x" }, key);
      await expectOk(api, call);
      expect((await api.call(call)).replayed).toBe(true);
    }
  });

  it.each([
    ["257 characters", "k".repeat(257)],
    ["a blank inside", "a b"],
    ["a tab inside", "a\tb"],
    ["a letter beyond ASCII", "schlüssel"],
    ["nothing", ""],
  ])("400: may not have %s", async (_what, key) => {
    const scope = user();
    const reply = await api.call(post({ ...scope, content: "x" }, key));
    expect({ status: reply.status, errors: reply.body.errors }).toMatchObject({
      status: 400,
      errors: [{ path: "Idempotency-Key" }],
    });
    expect(await list(scope)).toEqual([]);
  });
});
