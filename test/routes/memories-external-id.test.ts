import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { bodyOf, problemOf, startApi, type Api, type MemoryBody } from "../support/api.js";
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

async function replace(fields: object): Promise<MemoryBody> {
  return bodyOf<MemoryBody>(await api.request.post("/v1/memories").send(fields), 200);
}

describe("an external_id", () => {
  it("200: that is posted again replaces the memory's fields, absent ones by their defaults", async () => {
    const named = { user_id: uniqueName("user"), external_id: "note-1" };
    const first = await api.store({ ...named, content: "Tea at four.", tags: ["tea"], importance: 1, namespace: "a" });
    const second = await replace({ ...named, content: "Coffee at five.", tags: ["coffee"] });
    expect(second).toMatchObject({
      ...{ id: first.id, revision: 2, created_at: first.created_at, content: "Coffee at five.", tags: ["coffee"] },
      ...{ importance: 0.5, namespace: null, external_id: "note-1" },
    });
    expect(await api.read(first.id, { user_id: named.user_id })).toEqual(second);
  });

  it("200: that is posted again has the new revision as ETag", async () => {
    const named = { user_id: uniqueName("user"), external_id: "note-1", content: "x" };
    const { id } = await api.store(named);
    const reply = await api.request.post("/v1/memories").send(named);
    expect(reply.headers).toMatchObject({ etag: '"2"', location: `/v1/memories/${id}` });
  });

  it("200: after a replacement the new content is found and the old one is not", async () => {
    const named = { user_id: uniqueName("user"), external_id: "note-1" };
    await api.store({ ...named, content: "zebra giraffe" });
    await replace({ ...named, content: "violin cello" });
    const { user_id } = named;
    expect((await api.search({ user_id, query: "violin cello" })).count).toBe(1);
    expect((await api.search({ user_id, query: "zebra giraffe" })).count).toBe(0);
  });

  it("201: is free again once its memory is deleted, and the new memory has a new id", async () => {
    const named = { user_id: uniqueName("user"), external_id: "note-1", content: "x" };
    const first = await api.store(named);
    bodyOf(await api.request.delete(`/v1/memories/${first.id}`).query({ user_id: named.user_id }), 200);
    const second = await api.store(named);
    expect(second.id).not.toBe(first.id);
    expect(second.revision).toBe(1);
  });

  it("201: names another memory in another scope, and for another author", async () => {
    const named = { external_id: "note-1", content: "x" };
    const [user_id, workspace_id] = [uniqueName("user"), uniqueName("workspace")];
    const scopes = [
      { user_id },
      { user_id: uniqueName("user") },
      { user_id, project: "p" },
      { user_id, agent_id: "a" },
      { workspace_id, agent_id: "a" },
      { workspace_id, agent_id: "b" },
    ];
    const stored = [];
    for (const scope of scopes) stored.push(await api.store({ ...scope, ...named }));
    expect(new Set(stored.map((memory) => memory.id)).size).toBe(scopes.length);
  });

  it("409: cannot be given to a second memory by PATCH", async () => {
    const user_id = uniqueName("user");
    await api.store({ user_id, content: "x", external_id: "taken" });
    const other = await api.store({ user_id, content: "y", external_id: "other" });
    const reply = await api.request.patch(`/v1/memories/${other.id}`).send({ user_id, external_id: "taken" });
    problemOf(reply, "external_id_conflict");
    expect(await api.read(other.id, { user_id })).toEqual(other);
  });

  it("200: can be given up and taken over by PATCH", async () => {
    const user_id = uniqueName("user");
    const first = await api.store({ user_id, content: "x", external_id: "name" });
    const second = await api.store({ user_id, content: "y" });
    bodyOf(await api.request.patch(`/v1/memories/${first.id}`).send({ user_id, external_id: null }), 200);
    bodyOf(await api.request.patch(`/v1/memories/${second.id}`).send({ user_id, external_id: "name" }), 200);
    expect((await replace({ user_id, content: "z", external_id: "name" })).id).toBe(second.id);
  });
});
