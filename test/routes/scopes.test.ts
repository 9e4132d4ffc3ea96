import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import {
  bodyOf,
  problemOf,
  startApi,
  wrongFields,
  type Api,
  type MemoryBody,
  type SearchBody,
} from "../support/api.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";
import { uniqueName } from "../support/unique-name.js";

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

type Scope = Record<string, string>;

async function storeIn(scopes: readonly Scope[]): Promise<MemoryBody[]> {
  const stored: MemoryBody[] = [];
  for (const [index, scope] of scopes.entries()) {
    const fields = { content: `zebra giraffe ${String(index)}`, tags: ["t"], external_id: "same" };
    stored.push(await api.store({ ...scope, ...fields }));
  }
  return stored;
}

/** Fails unless every route of the scope shows its own memory and nothing of the others. */
async function expectOnlyItsOwn(scope: Scope, own: MemoryBody, all: readonly MemoryBody[]): Promise<void> {
  const ids = all.map((memory) => memory.id);
  const get = await api.request.post("/v1/memories/get").send({ ...scope, ids });
  const shown = bodyOf<{ memories: (MemoryBody | null)[] }>(get, 200).memories;
  expect(shown).toEqual(all.map((memory) => (memory === own ? own : null)));
  for (const memory of all.filter((each) => each !== own)) {
    const path = `/v1/memories/${memory.id}`;
    problemOf(await api.request.get(path).query(scope), "not_found");
    problemOf(await api.request.get(`${path}/history`).query(scope), "not_found");
    problemOf(await api.request.patch(path).send({ ...scope, content: "y" }), "not_found");
    problemOf(await api.request.delete(path).query(scope), "not_found");
  }
  for (const filter of [{}, { tags_any: "t" }, { external_id: "same" }]) {
    const list = await api.request.get("/v1/memories").query({ ...scope, ...filter });
    expect(bodyOf<{ memories: MemoryBody[] }>(list, 200).memories).toEqual([own]);
  }
  const found = await api.search({ ...scope, query: "zebra giraffe", threshold: 0, limit: 100, explain: true });
  expect(found.memories.map((memory) => memory.id)).toEqual([own.id]);
  expect(found.filter_decisions?.map((decision) => decision.id)).toEqual([own.id]);
  expect(found.gate.considered).toBe(1);
  for (const what of [{ ids }, { filter: { tags_any: ["t"] } }]) {
    const reply = await api.request.post("/v1/memories/delete").send({ ...scope, ...what, dry_run: true });
    expect(bodyOf<{ ids: string[] }>(reply, 200).ids).toEqual([own.id]);
  }
}

/** Fails unless the feed, the export, a review, an erasure and the other modes know nothing of the others either. */
async function expectNoTraceElsewhere(scope: Scope, own: MemoryBody, all: readonly MemoryBody[]): Promise<void> {
  const others = all.filter((each) => each !== own);
  const changes = await api.request.get("/v1/changes").query(scope);
  const events = bodyOf<{ events: { memory_id: string }[] }>(changes, 200).events;
  expect(events.map((event) => event.memory_id)).toEqual([own.id]);
  const exported = await api.request.get("/v1/export").query(scope).buffer(true);
  expect(exported.status).toBe(200);
  for (const memory of others) {
    expect(exported.text).not.toContain(memory.id);
    expect(exported.text).not.toContain(memory.content);
    const review = { ...scope, action: "reject" };
    problemOf(await api.request.post(`/v1/memories/${memory.id}/review`).send(review), "not_found");
    const target = { memory_id: memory.id };
    problemOf(await api.request.post("/v1/erase").send({ ...scope, target, dry_run: true }), "not_found");
    const derived = { ...scope, content: "x", source_memory_ids: [memory.id] };
    problemOf(await api.request.post("/v1/memories").send(derived), "invalid_request");
  }
  for (const gate_mode of ["auto", "strict", "open", "off"]) {
    for (const route of ["/v1/memories/search", "/v1/memories/search/fast"]) {
      const reply = await api.request.post(route).send({ ...scope, query: "zebra giraffe", gate_mode, explain: true });
      const found = bodyOf<SearchBody>(reply, 200);
      expect(found.filter_decisions?.map((decision) => decision.id)).toEqual([own.id]);
    }
  }
}

describe("a scope", () => {
  it("leaks nothing to siblings that differ in one component", async () => {
    const name = uniqueName("n");
    const base = { user_id: name, project: "p", mission: "m" };
    const scopes: Scope[] = [
      base,
      { ...base, user_id: uniqueName("user") },
      { ...base, project: "P" },
      { ...base, mission: "m " },
      { user_id: name, project: "p" },
      { user_id: name, mission: "m" },
      { user_id: name },
      { workspace_id: name, agent_id: name, project: "p", mission: "m" },
    ];
    const stored = await storeIn(scopes);
    for (const [index, scope] of scopes.entries()) {
      const own = stored[index]!;
      await expectOnlyItsOwn(scope, own, stored);
      await expectNoTraceElsewhere(scope, own, stored);
    }
  });

  it("is not mixed up with another one whose names run together to the same", async () => {
    const name = uniqueName("user");
    const scopes: Scope[] = [
      { user_id: name, project: "a:b", mission: "c" },
      { user_id: name, project: "a", mission: "b:c" },
      { user_id: name, project: "a/b/c" },
      { user_id: name, mission: "a:b:c" },
      { user_id: `${name}:a`, project: "b", mission: "c" },
      { user_id: name, project: `a","mission":"b` },
    ];
    const stored = await storeIn(scopes);
    for (const [index, scope] of scopes.entries()) {
      const own = stored[index];
      if (own !== undefined) await expectOnlyItsOwn(scope, own, stored);
    }
  });

  it("without a project is no wildcard, and a project named null is a project", async () => {
    const user_id = uniqueName("user");
    const scopes: Scope[] = [
      { user_id },
      { user_id, project: "null" },
      { user_id, project: "*" },
      { user_id, project: "%" },
    ];
    const stored = await storeIn(scopes);
    for (const [index, scope] of scopes.entries()) {
      const own = stored[index];
      if (own !== undefined) await expectOnlyItsOwn(scope, own, stored);
    }
  });

  it("tells names apart by every byte: case, composition and blanks", async () => {
    const name = uniqueName("user");
    const scopes: Scope[] = ["é", "e\u0301", "É", "é ", "é\u200b"].map((end) => ({ user_id: `${name}${end}` }));
    const stored = await storeIn(scopes);
    for (const [index, scope] of scopes.entries()) {
      const own = stored[index];
      if (own !== undefined) await expectOnlyItsOwn(scope, own, stored);
    }
  });

  it("is echoed by a search as it was resolved", async () => {
    const scope = { workspace_id: uniqueName("workspace"), agent_id: "a", project: "p" };
    const found = await api.search({ ...scope, query: "x" });
    expect(found.scope).toEqual({ ...scope, mission: null, user_id: null });
  });
});

describe("a query string that is not UTF-8", () => {
  it.each(["%FF", "%FE", "%E0%A4%A", "%C0%80", "100%", "%zz"])("400: makes no other name of %s", async (name) => {
    const reply = await api.request.get(`/v1/memories?user_id=${name}`);
    expect(wrongFields(reply)).toEqual(["user_id"]);
    expect(wrongFields(await api.request.get(`/v1/memories?user_id=u&${name}=1`))).toEqual(["query"]);
  });

  it("200: is another thing than one with any character that is", async () => {
    const user_id = `${uniqueName("user")} +é%\uFFFD`;
    const { id } = await api.store({ user_id, content: "harp" });
    const list = await api.request.get("/v1/memories").query({ user_id });
    expect(bodyOf<{ memories: MemoryBody[] }>(list, 200).memories.map((memory) => memory.id)).toEqual([id]);
  });
});
