import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { bodyOf, problemOf, startApi, wrongFields, type Api, type MemoryBody } from "../support/api.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";
import { uniqueName } from "../support/unique-name.js";

interface Page {
  readonly memories: MemoryBody[];
  readonly next_cursor: string | null;
}

let database: TestDatabase;
let api: Api;

beforeAll(async () => {
  database = await openTestDatabase();
  api = await startApi({ db: database.db });
});

afterAll(async () => {
  await api.close();
  await database.close();
});

/** A user with memories whose `metadata.n` is 0, 1, 2, …, all in session `s`. */
async function storeNumbered(count: number): Promise<{ user_id: string; ids: string[] }> {
  const user_id = uniqueName("user");
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    ids.push((await api.store({ user_id, content: `number ${String(n)}`, metadata: { n }, session_id: "s" })).id);
  }
  return { user_id, ids };
}

async function page(query: Record<string, string | number>): Promise<Page> {
  return bodyOf<Page>(await api.request.get("/v1/memories").query(query), 200);
}

describe("a filter that decides nothing", () => {
  it.each<[object, number]>([
    [{}, 2],
    [{ AND: [] }, 2],
    [{ NOT: { OR: [] } }, 2],
    [{ OR: [{}, { "metadata.n": 7 }] }, 2],
    [{ "metadata.n": { nin: [] } }, 2],
    [{ OR: [] }, 0],
    [{ NOT: {} }, 0],
    [{ "metadata.n": { in: [] } }, 0],
  ])(
    "200: %j takes all or nothing in a listing and a search; 400: is no filter of a deletion",
    async (filter, count) => {
      const { user_id } = await storeNumbered(2);
      expect((await page({ user_id, filter: JSON.stringify(filter) })).memories).toHaveLength(count);
      expect(await api.search({ user_id, query: "number", threshold: 0, filter })).toMatchObject({ count });
      const deletion = await api.request.post("/v1/memories/delete").send({ user_id, filter });
      expect(wrongFields(deletion)).toEqual(["filter"]);
      expect((await page({ user_id })).memories).toHaveLength(2);
    },
  );
});

describe("a filter of a deletion", () => {
  it("200: joins flat filters and a tree, and deletes what meets both", async () => {
    const { user_id, ids } = await storeNumbered(4);
    await api.store({ user_id, content: "other", metadata: { n: 2 } });
    const filter = {
      session_id: "s",
      OR: [{ "metadata.n": 1 }, { "metadata.n": { gte: 2 } }],
      NOT: { "metadata.n": 3 },
    };
    const reply = await api.request.post("/v1/memories/delete").send({ user_id, filter });
    expect(bodyOf<{ ids: string[] }>(reply, 200).ids.sort()).toEqual([ids[1], ids[2]].sort());
    expect((await page({ user_id })).memories.map(({ content }) => content).sort()).toEqual([
      "number 0",
      "number 3",
      "other",
    ]);
  });

  it("200: takes operators of a field that is a flat filter too", async () => {
    const { user_id } = await storeNumbered(2);
    const { id } = await api.store({ user_id, content: "x", session_id: "t" });
    const filter = { session_id: { ne: "s" } };
    const reply = await api.request.post("/v1/memories/delete").send({ user_id, filter, dry_run: true });
    expect(bodyOf(reply, 200)).toEqual({ dry_run: true, count: 1, ids: [id] });
  });

  it.each<[string, unknown]>([
    ["filter", []],
    ["filter", null],
    ["filter", "metadata.n"],
    ["filter.session_id", { session_id: null }],
    ["filter.namespace", { namespace: null }],
    ["filter.tags_any", { tags_any: [], "metadata.n": 1 }],
    ["filter.user_id", { user_id: "u", "metadata.n": 1 }],
    ["filter.__proto__", JSON.parse('{"__proto__": {}, "metadata.n": 1}')],
    ["filter.AND[0].metadata.city.gt", { AND: [{ "metadata.city": { gt: null } }], session_id: "s" }],
    ["filter.content.contains", { content: { contains: "" } }],
  ])("400: names %s in %j", async (field, filter) => {
    const { user_id } = await storeNumbered(1);
    const body = JSON.stringify({ user_id, filter });
    const reply = await api.request.post("/v1/memories/delete").set("Content-Type", "application/json").send(body);
    expect(wrongFields(reply)).toEqual([field]);
    expect((await page({ user_id })).memories).toHaveLength(1);
  });

  it("409: an idempotency key holds for one tree, whatever the order of its keys", async () => {
    const { user_id, ids } = await storeNumbered(2);
    const remove = async (filter: object) => {
      return await api.request.post("/v1/memories/delete").set("Idempotency-Key", "k").send({ user_id, filter });
    };
    const first = await remove({ "metadata.n": { gte: 1, lt: 2 }, session_id: "s" });
    expect(bodyOf(first, 200)).toEqual({ dry_run: false, count: 1, ids: [ids[1]] });
    const again = await remove({ session_id: "s", "metadata.n": { lt: 2, gte: 1 } });
    expect({ text: again.text, replayed: again.headers["idempotency-replayed"] }).toEqual({
      text: first.text,
      replayed: "true",
    });
    problemOf(await remove({ "metadata.n": { gte: 0, lt: 2 }, session_id: "s" }), "idempotency_conflict");
  });
});

describe("a filter of a search", () => {
  it.each<[string, unknown]>([
    ["filter", []],
    ["filter", null],
    ["filter.AND[0].metadata.city.gt", { AND: [{ "metadata.city": { gt: true } }] }],
    ["filter.session", { session: "s" }],
  ])("400: names %s in %j", async (field, filter) => {
    for (const path of ["/v1/memories/search", "/v1/memories/search/fast"]) {
      const reply = await api.request.post(path).send({ user_id: "u", query: "x", filter });
      expect(wrongFields(reply)).toEqual([field]);
    }
  });

  it("200: relevance is the same with it, and what it leaves out is not considered", async () => {
    const { user_id } = await storeNumbered(3);
    const query = { user_id, query: "number 2", threshold: 0, explain: true };
    const all = await api.search(query);
    const { memories, gate, filter_decisions } = await api.search({ ...query, filter: { "metadata.n": 2 } });
    expect(memories.map(({ relevance }) => relevance)).toEqual([all.memories[0]?.relevance]);
    expect([gate.considered, filter_decisions?.length]).toEqual([1, 1]);
  });
});

describe("a filter of a listing", () => {
  it.each<[string, string]>([
    ["", "filter"],
    ["{", "filter"],
    ["metadata.n", "filter"],
    ["[]", "filter"],
    ["null", "filter"],
    ['{"metadata.n": {"gt": null}}', "filter.metadata.n.gt"],
    ['{"OR": [{"a": 1}]}', "filter.OR[0].a"],
  ])("400: %j is wrong at %s", async (filter, field) => {
    expect(wrongFields(await api.request.get("/v1/memories").query({ user_id: "u", filter }))).toEqual([field]);
  });

  it("400: two of them", async () => {
    const reply = await api.request.get("/v1/memories?user_id=u&filter=%7B%7D&filter=%7B%7D");
    expect(wrongFields(reply)).toEqual(["filter"]);
  });

  it("200: one of 8,192 bytes, all of them escaped; 400: one byte more", async () => {
    const { user_id } = await storeNumbered(1);
    const padded = (bytes: number): string => {
      const text = JSON.stringify({ "metadata.n": { nin: ["{}".repeat(2_000), "{}".repeat(2_000)] } });
      return text + " ".repeat(bytes - text.length);
    };
    expect((await page({ user_id, filter: padded(8_192) })).memories).toHaveLength(1);
    const reply = await api.request.get("/v1/memories").query({ user_id, filter: padded(8_193) });
    expect(wrongFields(reply)).toEqual(["filter"]);
  });

  it("200: a cursor goes on with the same tree, whatever the order of its keys; 400: not with another", async () => {
    const { user_id, ids } = await storeNumbered(5);
    const query = { user_id, limit: 2 };
    const filter = '{"metadata.n": {"gte": 1, "lt": 9}, "session_id": "s"}';
    const first = await page({ ...query, filter });
    const cursor = String(first.next_cursor);
    const second = await page({
      ...query,
      cursor,
      filter: '{"session_id": {"eq": "s"}, "metadata.n": {"lt": 9, "gte": 1}}',
    });
    expect([...first.memories, ...second.memories].map(({ id }) => id)).toEqual(ids.slice(1).reverse());
    for (const other of [{}, { filter: "{}" }, { filter: '{"metadata.n": {"gte": 1, "lt": 8}, "session_id": "s"}' }]) {
      problemOf(await api.request.get("/v1/memories").query({ ...query, cursor, ...other }), "invalid_cursor");
    }
    const plain = await page(query);
    const refused = await api.request
      .get("/v1/memories")
      .query({ ...query, cursor: String(plain.next_cursor), filter });
    problemOf(refused, "invalid_cursor");
  });
});
