import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { sql } from "../../src/db/sql.js";
import { registerSpace } from "../../src/services/index.js";
import { verifyScope } from "../../src/services/verify.js";
import { cosine } from "../support/cosine.js";
import { startLocalApi, type LocalApi } from "../support/local-api.js";
import { testSpaces } from "../support/service-bench.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";
import { uniqueName } from "../support/unique-name.js";
import { WordEmbedder } from "../support/word-embedder.js";
import { expectOk } from "../support/written-history.js";

/** Of one dimension, so that nothing but the space tells their vectors apart. */
const [one, two] = ["one", "two"].map((model) => new WordEmbedder({ model, dimensions: 32 })) as [
  WordEmbedder,
  WordEmbedder,
];
const WORDS = ["harp", "violin", "drum", "oboe", "flute", "cello", "horn", "lute"];
const QUERY = "harp violin drum";

let database: TestDatabase;
let api: LocalApi;
let ids: { readonly one: number; readonly two: number };

beforeAll(async () => {
  database = await openTestDatabase();
  api = await startLocalApi(database.db, { embedder: one, others: [two] });
  const { deps, spaceId } = api.bench;
  const { space } = await registerSpace(deps, two.space, { baseUrl: null, settings: {} });
  ids = { one: spaceId, two: space.id };
});

afterAll(async () => {
  await api.close();
  await database.close();
});

interface Found {
  readonly memories: readonly { readonly content: string; readonly semantic_similarity: number | null }[];
}

async function search(user_id: string): Promise<Found> {
  const body = { user_id, query: QUERY, gate_mode: "off", limit: 50 };
  return (await expectOk(api, { method: "POST", path: "/v1/memories/search", body })).body as unknown as Found;
}

/** The model in whose vectors every similarity of the reply is; fails the test for a mixed or an empty one. */
function modelOf({ memories }: Found): string | undefined {
  expect(memories).toHaveLength(WORDS.length);
  return [one, two].find((embedder) => {
    return memories.every(({ content, semantic_similarity }) => {
      const right = cosine(embedder.vectorOf(QUERY), embedder.vectorOf(content));
      return semantic_similarity !== null && Math.abs(semantic_similarity - right) < 1e-5;
    });
  })?.space.model;
}

async function fill(): Promise<void> {
  while ((await api.bench.services.embedPending(new AbortController().signal)) !== null);
}

/** A user with one memory for each word, embedded in both spaces. */
async function storedUser(): Promise<string> {
  const user_id = uniqueName("user");
  const memories = WORDS.map((word, at) => ({ content: `${word} ${WORDS[(at * 3 + 1) % WORDS.length] ?? ""} piece` }));
  await expectOk(api, { method: "POST", path: "/v1/memories/batch", body: { user_id, memories } });
  await fill();
  return user_id;
}

async function activate(spaceId: number): Promise<void> {
  expect(await api.bench.services.activateSpace({ spaceId })).toMatchObject({ activated: true });
}

describe("a switch under continuous search", () => {
  it("never gives a mixed, an empty or a failed reply, and each is of the space that was served as it was asked", async () => {
    const user_id = await storedUser();
    const seen = new Set<string | undefined>();
    let over = false;
    const clients = Array.from({ length: 16 }, async () => {
      while (!over) seen.add(modelOf(await search(user_id)));
    });
    for (let round = 0; round < 3; round++) {
      await activate(ids.two);
      expect(modelOf(await search(user_id))).toBe("two");
      if (round > 0) await fill();
      expect(await api.bench.services.rollbackSpace()).toMatchObject({ activated: true, spaceId: ids.one });
      expect(modelOf(await search(user_id))).toBe("one");
    }
    over = true;
    await Promise.all(clients);
    expect([...seen].sort()).toEqual(["one", "two"]);
  });

  it("is followed by a process that knows only of the space before", async () => {
    const user_id = await storedUser();
    expect(modelOf(await search(user_id))).toBe("one");
    const other = testSpaces(database.db, [one, two]);
    const elsewhere = api.bench.on(database.db);
    await elsewhere.activateSpace({ spaceId: ids.two });
    await other.refresh();
    expect((await other.served()).identity.model).toBe("two");
    expect(modelOf(await search(user_id))).toBe("two");
    await activate(ids.one);
  });
});

describe("candidates that still hold the vectors of the space before", () => {
  it("score as those that do not, and get the served one's with no event", async () => {
    const user_id = await storedUser();
    const scopeId = (await scopeOf(user_id))!;
    await activate(ids.two);
    expect(await inlineSpaces(scopeId)).toEqual([ids.one]);
    const lagging = await search(user_id);
    expect(modelOf(lagging)).toBe("two");
    expect(await verifyScope({ db: database.db }, scopeId)).toEqual([]);

    await expectOk(api, { method: "POST", path: "/v1/memories", body: { user_id, content: "triangle" } });
    expect(await inlineSpaces(scopeId)).toEqual([ids.one, ids.two]);
    const mixed = (await search(user_id)).memories.filter(({ content }) => content !== "triangle");
    expect(mixed.map(pair)).toEqual(lagging.memories.map(pair));

    const seq = await lastEvent(scopeId);
    await fill();
    expect(await inlineSpaces(scopeId)).toEqual([ids.two]);
    expect(await lastEvent(scopeId)).toBe(seq);
    const moved = (await search(user_id)).memories.filter(({ content }) => content !== "triangle");
    expect(moved.map(pair)).toEqual(lagging.memories.map(pair));
    expect(await verifyScope({ db: database.db }, scopeId)).toEqual([]);
    await activate(ids.one);
    await fill();
  });
});

describe("a space whose provider is down", () => {
  it("holds up no other, and says what it lacks", async () => {
    const user_id = uniqueName("user");
    two.setDown(true);
    const body = { user_id, content: "harp" };
    const stored = await expectOk(api, { method: "POST", path: "/v1/memories", body });
    expect(stored.body.embedding_status).toBe("ready");
    const { services } = api.bench;
    await expect(services.embedPending(new AbortController().signal, { spaceId: ids.two })).rejects.toMatchObject({
      spaceId: ids.two,
    });
    while ((await services.embedPending(new AbortController().signal, { spaceId: ids.one })) !== null);
    const lacking = await services.activateSpace({ spaceId: ids.two });
    expect(lacking).toMatchObject({ activated: false, coverage: { pending: 1 } });
    expect(lacking.coverage.missing).toEqual([
      { scopeId: await scopeOf(user_id), pending: 1, ids: [stored.body.id as string] },
    ]);
    two.setDown(false);
    await fill();
    const listed = await services.listSpaces();
    expect(listed.map(({ state, coverage }) => [state, coverage.pending])).toEqual([
      ["served", 0],
      ["standby", 0],
    ]);
    expect(listed[0]?.index).toEqual({ plan: "exact_scan", annIndexType: "vector_hnsw" });
  });
});

describe("the states of spaces", () => {
  it("refuse to retire the served one, to serve a retired one and to roll back to none", async () => {
    const { services } = api.bench;
    await expect(services.retireSpace({ spaceId: ids.one })).rejects.toMatchObject({ code: "space_conflict" });
    await services.retireSpace({ spaceId: ids.two });
    await expect(services.activateSpace({ spaceId: ids.two })).rejects.toMatchObject({ code: "space_conflict" });
    await expect(services.rollbackSpace()).rejects.toMatchObject({ code: "space_conflict" });
    await expect(services.activateSpace({ spaceId: 999 })).rejects.toMatchObject({ code: "space_not_found" });
    const request = { provider: "test", model: "two", baseUrl: null, settings: {} };
    expect(await services.createSpace(request)).toMatchObject({ id: ids.two, state: "building" });
  });

  it("let a space of given vectors be registered, which nothing here fills", async () => {
    const { services } = api.bench;
    const identity = { model: "theirs", revision: "3", dimensions: 3_000, recipe: "" };
    const { id } = await services.createSpace({ provider: "external", identity });
    expect(await services.spacesToFill()).not.toContain(id);
    const described = (await services.listSpaces()).find((space) => space.id === id);
    expect(described).toMatchObject({ state: "building", index: { annIndexType: "halfvec_hnsw" } });
  });
});

function pair(hit: Found["memories"][number]): unknown[] {
  return [hit.content, hit.semantic_similarity];
}

async function scopeOf(user_id: string): Promise<number | undefined> {
  const [row] = await database.db.run<{ id: number }>(sql`select id from scopes where user_id = ${user_id}::text`);
  return row?.id;
}

async function inlineSpaces(scopeId: number): Promise<number[]> {
  const rows = await database.db.run<{ id: number }>(sql`
    select distinct space_id as "id" from candidates where scope_id = ${scopeId}::bigint order by 1`);
  return rows.map(({ id }) => id);
}

async function lastEvent(scopeId: number): Promise<number | undefined> {
  const [row] = await database.db.run<{ seq: number }>(
    sql`select head_seq as "seq" from scopes where id = ${scopeId}::bigint`,
  );
  return row?.seq;
}
