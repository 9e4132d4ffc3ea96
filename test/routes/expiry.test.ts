import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { bodyOf, problemOf, startApi, type Api, type MemoryBody } from "../support/api.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";
import { uniqueName } from "../support/unique-name.js";

let database: TestDatabase;
let api: Api;
let now: Date;

const EXPIRES = "2026-03-01T12:00:00.000Z";
const JUST_BEFORE = "2026-03-01T11:59:59.999Z";

beforeAll(async () => {
  database = await openTestDatabase();
  api = await startApi({ db: database.db, clock: () => now });
});

afterAll(async () => {
  await api.close();
  await database.close();
});

async function storeExpiring(fields: object = {}): Promise<{ user_id: string; memory: MemoryBody }> {
  now = new Date("2026-03-01T00:00:00Z");
  const user_id = uniqueName("user");
  return {
    user_id,
    memory: await api.store({ user_id, content: "zebra", tags: ["t"], expires_at: EXPIRES, ...fields }),
  };
}

/** Which of the reading routes show the memory. */
async function shownBy(user_id: string, id: string): Promise<Record<string, boolean>> {
  const one = await api.request.get(`/v1/memories/${id}`).query({ user_id });
  const history = await api.request.get(`/v1/memories/${id}/history`).query({ user_id });
  const many = await api.request.post("/v1/memories/get").send({ user_id, ids: [id] });
  const list = await api.request.get("/v1/memories").query({ user_id });
  const dryRun = { user_id, filter: { tags_any: ["t"] }, dry_run: true };
  const deleted = await api.request.post("/v1/memories/delete").send(dryRun);
  const found = await api.search({ user_id, query: "zebra", gate_mode: "off", explain: true });
  return {
    get: one.status === 200,
    history: history.status === 200,
    getMany: bodyOf<{ memories: unknown[] }>(many, 200).memories[0] !== null,
    list: bodyOf<{ memories: unknown[] }>(list, 200).memories.length > 0,
    delete: bodyOf<{ count: number }>(deleted, 200).count > 0,
    search: found.count > 0,
    considered: found.gate.considered > 0 || found.filter_decisions?.length !== 0,
    verdict: found.gate.verdict !== "store_empty",
  };
}

const EVERYWHERE = {
  ...{ get: true, history: true, getMany: true, list: true, delete: true },
  ...{ search: true, considered: true, verdict: true },
};
const NOWHERE = Object.fromEntries(Object.keys(EVERYWHERE).map((route) => [route, false]));

describe("a memory that expires", () => {
  it("is shown everywhere up to the last millisecond, and nowhere from then on", async () => {
    const { user_id, memory } = await storeExpiring();
    now = new Date(JUST_BEFORE);
    expect(await shownBy(user_id, memory.id)).toEqual(EVERYWHERE);
    now = new Date(EXPIRES);
    expect(await shownBy(user_id, memory.id)).toEqual(NOWHERE);
  });

  it("404: cannot be changed or deleted once it has expired", async () => {
    const { user_id, memory } = await storeExpiring();
    now = new Date(EXPIRES);
    const path = `/v1/memories/${memory.id}`;
    problemOf(await api.request.patch(path).send({ user_id, expires_at: null }), "not_found");
    problemOf(await api.request.delete(path).query({ user_id }), "not_found");
  });

  it("200: stays when its expiry is lifted in time", async () => {
    const { user_id, memory } = await storeExpiring();
    now = new Date(JUST_BEFORE);
    bodyOf(await api.request.patch(`/v1/memories/${memory.id}`).send({ user_id, expires_at: null }), 200);
    now = new Date("2027-01-01T00:00:00Z");
    expect(await shownBy(user_id, memory.id)).toEqual(EVERYWHERE);
  });

  it("201: may be stored although it has expired already, and is not shown", async () => {
    const { user_id, memory } = await storeExpiring({ expires_at: "2020-01-01T00:00:00Z" });
    expect(await shownBy(user_id, memory.id)).toEqual(NOWHERE);
  });

  it("200: comes back under its external_id when it is posted again", async () => {
    const { user_id, memory } = await storeExpiring({ external_id: "note" });
    now = new Date(EXPIRES);
    const again = { user_id, content: "zebra", tags: ["t"], external_id: "note" };
    const reply = await api.request.post("/v1/memories").send(again);
    expect(bodyOf<MemoryBody>(reply, 200)).toMatchObject({ id: memory.id, revision: 2, expires_at: null });
    expect(await shownBy(user_id, memory.id)).toEqual(EVERYWHERE);
  });

  it("does not count in what other memories are compared with", async () => {
    const { user_id } = await storeExpiring({ content: "zebra giraffe" });
    const other = { user_id, query: "zebra violin", gate_mode: "off" };
    await api.store({ user_id, content: "violin cello", event_at: "2026-03-01T00:00:00Z" });
    now = new Date(EXPIRES);
    const alone = uniqueName("user");
    await api.store({ user_id: alone, content: "violin cello", event_at: "2026-03-01T00:00:00Z" });
    const [beside, single] = [await api.search(other), await api.search({ ...other, user_id: alone })];
    expect(beside.memories.map((memory) => memory.relevance)).toEqual(single.memories.map((each) => each.relevance));
  });
});
