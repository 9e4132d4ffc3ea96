import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { Response } from "supertest";
import { bodyOf, problemOf, startApi, wrongFields, type Api, type MemoryBody } from "../support/api.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";
import { uniqueName } from "../support/unique-name.js";
import { WordEmbedder } from "../support/word-embedder.js";

let database: TestDatabase;
let api: Api;
let now = new Date("2026-03-01T00:00:00Z");
const embedder = new WordEmbedder();

beforeAll(async () => {
  database = await openTestDatabase();
  api = await startApi({ db: database.db, embedder, clock: () => now });
});

afterAll(async () => {
  await api.close();
  await database.close();
});

interface Stored {
  readonly user_id: string;
  readonly memory: MemoryBody;
  send(fields: object, ifMatch?: string): Promise<Response>;
  patch(fields: object, ifMatch?: string): Promise<MemoryBody>;
}

async function stored(fields: object = {}): Promise<Stored> {
  const user_id = uniqueName("user");
  const memory = await api.store({ user_id, content: "Tea at four.", ...fields });
  const send = async (change: object, ifMatch?: string): Promise<Response> => {
    const request = api.request.patch(`/v1/memories/${memory.id}`);
    return await (ifMatch === undefined ? request : request.set("If-Match", ifMatch)).send({ user_id, ...change });
  };
  const patch = async (change: object, ifMatch?: string): Promise<MemoryBody> =>
    bodyOf<MemoryBody>(await send(change, ifMatch), 200);
  return { user_id, memory, send, patch };
}

const FULL = {
  ...{ namespace: "a/b", source_site: "slack", source_url: "https://a.example/1", session_id: "s", episode_type: "e" },
  ...{ tags: ["x", "y"], importance: 0.1, trust: 0.2, metadata: { a: { b: 1 }, c: 2 } },
  ...{ event_at: "2020-01-01T00:00:00.000Z", expires_at: "2030-01-01T00:00:00.000Z", external_id: "e-1" },
};

describe("PATCH /v1/memories/{id}", () => {
  it("200: replaces the given fields and leaves the others", async () => {
    const { user_id, memory, patch } = await stored(FULL);
    now = new Date("2026-03-02T00:00:00Z");
    const change = { content: "Coffee.", tags: ["z"], importance: 0.9 };
    const patched = await patch(change);
    expect(patched).toEqual({ ...memory, ...change, revision: 2, updated_at: now.toISOString() });
    expect(await api.read(memory.id, { user_id })).toEqual(patched);
  });

  it("200: replaces each field whole: metadata is not merged", async () => {
    const { patch } = await stored(FULL);
    expect((await patch({ metadata: { c: 3 } })).metadata).toEqual({ c: 3 });
    expect((await patch({ tags: ["y"] })).tags).toEqual(["y"]);
  });

  it.each([
    ...["namespace", "source_site", "source_url", "session_id", "episode_type", "expires_at", "external_id"].map(
      (field) => [field, null] as const,
    ),
    ["tags", []] as const,
    ["importance", 0.5] as const,
    ["trust", 1] as const,
    ["metadata", {}] as const,
  ])("200: null clears %s", async (field, cleared) => {
    const { memory, patch } = await stored(FULL);
    const patched = await patch({ [field]: null });
    expect(patched).toEqual({ ...memory, [field]: cleared, revision: 2, updated_at: patched.updated_at });
  });

  it("400: content and time of the event cannot be cleared", async () => {
    const { send } = await stored();
    expect(wrongFields(await send({ content: null }))).toEqual(["content"]);
    expect(wrongFields(await send({ event_at: null }))).toEqual(["event_at"]);
  });

  it("200: answers with the new revision as ETag", async () => {
    const { send } = await stored();
    expect((await send({ content: "x" })).headers.etag).toBe('"2"');
  });

  it("200: makes no revision when nothing changes", async () => {
    const { user_id, memory, patch } = await stored(FULL);
    now = new Date("2026-03-03T00:00:00Z");
    const same = { ...FULL, content: memory.content, metadata: { c: 2, a: { b: 1 } } };
    expect(await patch(same)).toEqual(memory);
    expect(await patch({})).toEqual(memory);
    expect(await patch({ event_at: "2020-01-01T01:00:00+01:00" })).toEqual(memory);
    const history = await api.request.get(`/v1/memories/${memory.id}/history`).query({ user_id });
    expect(bodyOf<{ revisions: unknown[] }>(history, 200).revisions).toHaveLength(1);
  });

  it("200: an order of tags is a change", async () => {
    const { patch } = await stored(FULL);
    expect(await patch({ tags: ["y", "x"] })).toMatchObject({ revision: 2, tags: ["y", "x"] });
  });

  it("409: says the current revision to whoever expects another one, and changes nothing", async () => {
    const { user_id, memory, send, patch } = await stored();
    await patch({ content: "second" });
    for (const reply of [
      await send({ content: "third", expected_revision: 1 }),
      await send({ content: "third", expected_revision: 3 }),
      await send({ content: "third" }, '"1"'),
      await send({ content: "second", expected_revision: 1 }),
    ]) {
      expect(problemOf(reply, "revision_conflict").revision).toBe(2);
    }
    expect(await api.read(memory.id, { user_id })).toMatchObject({ revision: 2, content: "second" });
  });

  it("200: changes the revision that is expected", async () => {
    const { patch } = await stored();
    expect((await patch({ content: "2", expected_revision: 1 })).revision).toBe(2);
    expect((await patch({ content: "3" }, '"2"')).revision).toBe(3);
    expect((await patch({ content: "4", expected_revision: 3 }, '"3"')).revision).toBe(4);
    expect((await patch({ content: "5" }, "*")).revision).toBe(5);
  });

  it("400: names a precondition that is wrong", async () => {
    const { send } = await stored();
    for (const ifMatch of ["1", 'W/"1"', '"0"', '"x"', '"1", "2"', '""']) {
      expect(wrongFields(await send({ content: "x" }, ifMatch))).toEqual(["If-Match"]);
    }
    expect(wrongFields(await send({ content: "x", expected_revision: 2 }, '"1"'))).toEqual(["expected_revision"]);
    for (const expected_revision of [0, -1, 1.5, "1", null]) {
      expect(wrongFields(await send({ content: "x", expected_revision }))).toEqual(["expected_revision"]);
    }
  });

  it.each([
    ["content", { content: "\t" }],
    ["tags[1]", { tags: ["a", ""] }],
    ["importance", { importance: 1.01 }],
    ["namespace", { namespace: "a//b" }],
    ["metadata.k", { metadata: { k: 2 ** 53 } }],
    ["visibility", { visibility: "agent_only" }],
    ["id", { id: "x" }],
    ["revision", { revision: 7 }],
    ["embedding_status", { embedding_status: "ready" }],
  ])("400: names the field that is wrong: %s", async (field, change) => {
    const { user_id, memory, send } = await stored();
    expect(wrongFields(await send(change))).toEqual([field]);
    expect(await api.read(memory.id, { user_id })).toEqual(memory);
  });

  it("200: new content is found from now on, and the old one no more", async () => {
    const { user_id, patch } = await stored({ content: "zebra giraffe elephant" });
    expect((await patch({ content: "violin cello trumpet" })).embedding_status).toBe("ready");
    const fresh = await api.search({ user_id, query: "violin cello trumpet" });
    expect(fresh.memories[0]).toMatchObject({ content: "violin cello trumpet", relevance: 1, revision: 2 });
    expect(fresh.memories[0]?.semantic_similarity).toBeCloseTo(1, 5);
    const old = await api.search({ user_id, query: "zebra giraffe elephant", gate_mode: "off" });
    expect(old.memories[0]?.relevance).toBeLessThan(0.3);
  });

  it("200: a change beside the content needs no embedding", async () => {
    const { memory, patch } = await stored(FULL);
    const calls = embedder.calls.length;
    embedder.setDown(true);
    try {
      const patched = await patch({ tags: ["new"], importance: 0.3, metadata: { k: 1 } });
      expect(patched).toMatchObject({ id: memory.id, revision: 2, embedding_status: "ready" });
    } finally {
      embedder.setDown(false);
    }
    expect(embedder.calls).toHaveLength(calls);
  });

  it("200: content that goes there and back is found as it is", async () => {
    const { user_id, patch } = await stored({ content: "zebra giraffe" });
    await patch({ content: "violin cello" });
    await patch({ content: "zebra giraffe" });
    expect((await api.search({ user_id, query: "zebra giraffe" })).memories).toMatchObject([{ revision: 3 }]);
    expect((await api.search({ user_id, query: "violin cello" })).count).toBe(0);
  });

  it("404: does not revive a deleted memory", async () => {
    const { user_id, memory, send } = await stored();
    bodyOf(await api.request.delete(`/v1/memories/${memory.id}`).query({ user_id }), 200);
    problemOf(await send({ content: "back" }), "not_found");
    problemOf(await send({ content: "back", expected_revision: 2 }), "not_found");
    problemOf(await api.request.get(`/v1/memories/${memory.id}`).query({ user_id }), "not_found");
    expect((await api.search({ user_id, query: "back", gate_mode: "off" })).gate.considered).toBe(0);
  });
});
