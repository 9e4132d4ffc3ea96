import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { bodyOf, problemOf, startApi, wrongFields, type Api, type MemoryBody } from "../support/api.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";
import { uniqueName } from "../support/unique-name.js";

interface DeletedBody {
  readonly dry_run: boolean;
  readonly count: number;
  readonly ids: string[];
}

let database: TestDatabase;
let api: Api;
const NOW = new Date("2026-03-01T00:00:00.000Z");

beforeAll(async () => {
  database = await openTestDatabase();
  api = await startApi({ db: database.db, clock: () => NOW });
});

afterAll(async () => {
  await api.close();
  await database.close();
});

async function remaining(user_id: string): Promise<string[]> {
  const reply = await api.request.get("/v1/memories").query({ user_id });
  return bodyOf<{ memories: MemoryBody[] }>(reply, 200)
    .memories.map((memory) => memory.content)
    .sort();
}

async function deleteMany(body: object): Promise<DeletedBody> {
  return bodyOf<DeletedBody>(await api.request.post("/v1/memories/delete").send(body), 200);
}

/** One user with a memory for each name; the name is its content, its tag and its namespace. */
async function storeNamed(names: readonly string[]): Promise<{ user_id: string; ids: Record<string, string> }> {
  const user_id = uniqueName("user");
  const ids: Record<string, string> = {};
  for (const name of names) {
    ids[name] = (await api.store({ user_id, content: name, tags: [name], namespace: name })).id;
  }
  return { user_id, ids };
}

describe("DELETE /v1/memories/{id}", () => {
  it("200: says the last revision and the time; then the memory is nowhere", async () => {
    const { user_id, ids } = await storeNamed(["zebra giraffe", "other"]);
    const id = ids["zebra giraffe"] ?? "";
    const reply = await api.request.delete(`/v1/memories/${id}`).query({ user_id });
    expect(bodyOf(reply, 200)).toEqual({ id, revision: 2, deleted_at: NOW.toISOString() });
    problemOf(await api.request.get(`/v1/memories/${id}`).query({ user_id }), "not_found");
    problemOf(await api.request.get(`/v1/memories/${id}/history`).query({ user_id }), "not_found");
    problemOf(await api.request.delete(`/v1/memories/${id}`).query({ user_id }), "not_found");
    const many = await api.request.post("/v1/memories/get").send({ user_id, ids: [id] });
    expect(bodyOf(many, 200)).toEqual({ memories: [null] });
    expect(await remaining(user_id)).toEqual(["other"]);
    const found = await api.search({ user_id, query: "zebra giraffe", gate_mode: "off", explain: true });
    expect(found.filter_decisions?.map((each) => each.id)).toEqual([ids.other]);
  });

  it("200: takes the revision that is expected, and the ETag of it", async () => {
    const { user_id, ids } = await storeNamed(["a", "b", "c"]);
    const path = (name: string): string => `/v1/memories/${ids[name] ?? ""}`;
    bodyOf(await api.request.delete(path("a")).query({ user_id, expected_revision: 1 }), 200);
    bodyOf(await api.request.delete(path("b")).set("If-Match", '"1"').query({ user_id }), 200);
    bodyOf(await api.request.delete(path("c")).set("If-Match", "*").query({ user_id }), 200);
    expect(await remaining(user_id)).toEqual([]);
  });

  it("409: says the current revision to whoever expects another one, and deletes nothing", async () => {
    const { user_id, ids } = await storeNamed(["a"]);
    const path = `/v1/memories/${ids.a ?? ""}`;
    for (const reply of [
      await api.request.delete(path).query({ user_id, expected_revision: 2 }),
      await api.request.delete(path).set("If-Match", '"7"').query({ user_id }),
    ]) {
      expect(problemOf(reply, "revision_conflict").revision).toBe(1);
    }
    expect(await remaining(user_id)).toEqual(["a"]);
  });

  it("400: names a precondition that is wrong", async () => {
    const { user_id, ids } = await storeNamed(["a"]);
    const path = `/v1/memories/${ids.a ?? ""}`;
    for (const expected_revision of ["0", "x", "1.0", "", "-1"]) {
      const reply = await api.request.delete(path).query({ user_id, expected_revision });
      expect(new Set(wrongFields(reply))).toEqual(new Set(["expected_revision"]));
    }
    const reply = await api.request.delete(path).set("If-Match", "abc").query({ user_id });
    expect(wrongFields(reply)).toEqual(["If-Match"]);
    expect(await remaining(user_id)).toEqual(["a"]);
  });

  it("400: takes no body, since its precondition would be ignored", async () => {
    const { user_id, ids } = await storeNamed(["a"]);
    const request = api.request.delete(`/v1/memories/${ids.a ?? ""}`).query({ user_id });
    expect(wrongFields(await request.send({ expected_revision: 9 }))).toEqual(["body"]);
    expect(await remaining(user_id)).toEqual(["a"]);
  });
});

describe("POST /v1/memories/delete", () => {
  it("200: deletes by id what is to be had and says which", async () => {
    const { user_id, ids } = await storeNamed(["a", "b", "c"]);
    const foreign = await api.store({ user_id: uniqueName("user"), content: "foreign" });
    const [a = "", b = ""] = [ids.a, ids.b];
    const wanted = [b, a, a.toUpperCase(), foreign.id, randomUUID(), "no-uuid"];
    const deleted = await deleteMany({ user_id, ids: wanted });
    expect({ ...deleted, ids: deleted.ids.sort() }).toEqual({ dry_run: false, count: 2, ids: [a, b].sort() });
    expect(await remaining(user_id)).toEqual(["c"]);
    expect(await api.read(foreign.id, { user_id: foreign.user_id ?? "" })).toEqual(foreign);
    expect(await deleteMany({ user_id, ids: wanted })).toEqual({ dry_run: false, count: 0, ids: [] });
  });

  it("200: deletes by filter, and what is deleted is not searchable", async () => {
    const { user_id, ids } = await storeNamed(["work", "work/projects", "workshop"]);
    const deleted = await deleteMany({ user_id, filter: { namespace_scope: "work" } });
    expect(deleted.ids).toEqual([ids.work, ids["work/projects"]]);
    expect(await remaining(user_id)).toEqual(["workshop"]);
    const found = await api.search({ user_id, query: "work projects", gate_mode: "off" });
    expect(found.memories.map((memory) => memory.content)).toEqual(["workshop"]);
  });

  it("200: a dry run says the same and writes nothing", async () => {
    const { user_id, ids } = await storeNamed(["a", "b"]);
    const [a = ""] = [ids.a];
    for (const what of [{ ids: [a, "no-uuid"] }, { filter: { tags_any: ["a"] } }]) {
      expect(await deleteMany({ user_id, ...what, dry_run: true })).toEqual({ dry_run: true, count: 1, ids: [a] });
    }
    expect(await remaining(user_id)).toEqual(["a", "b"]);
    expect((await api.read(a, { user_id })).revision).toBe(1);
    expect((await api.search({ user_id, query: "a" })).count).toBe(1);
    expect((await deleteMany({ user_id, filter: { tags_any: ["a"] } })).ids).toEqual([a]);
  });

  it("200: deletes more than one chunk by filter", async () => {
    const user_id = uniqueName("user");
    const memories = Array.from({ length: 450 }, (_, n) => ({ content: `memory ${String(n)}`, source_site: "slack" }));
    bodyOf(await api.request.post("/v1/memories/batch").send({ user_id, memories }), 200);
    await api.store({ user_id, content: "stays" });
    expect((await deleteMany({ user_id, filter: { source_site: "slack" } })).count).toBe(450);
    expect(await remaining(user_id)).toEqual(["stays"]);
  });

  it("200: deletes nothing in a scope where nothing was ever written", async () => {
    expect((await deleteMany({ user_id: uniqueName("user"), filter: { tags_any: ["a"] } })).count).toBe(0);
  });

  it.each([
    ["filter", { filter: {} }],
    ["ids", {}],
    ["ids", { ids: ["x"], filter: { tags_any: ["a"] } }],
    ["ids", { ids: [] }],
    ["filter.tags", { filter: { tags: ["a"] } }],
    ["filter.tags_any", { filter: { tags_any: [] } }],
    ["filter.user_id", { filter: { user_id: "u" } }],
    ["filter", { filter: [] }],
    ["dry_run", { ids: ["x"], dry_run: "true" }],
    ["tags_any", { ids: ["x"], tags_any: ["a"] }],
  ])("400: names the field that is wrong: %s in %j", async (field, what) => {
    const { user_id } = await storeNamed(["a"]);
    const reply = await api.request.post("/v1/memories/delete").send({ user_id, ...what });
    expect(wrongFields(reply)).toContain(field);
    expect(await remaining(user_id)).toEqual(["a"]);
  });
});
