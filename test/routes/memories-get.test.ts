import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { Response } from "supertest";
import { bodyOf, problemOf, startApi, wrongFields, type Api, type MemoryBody } from "../support/api.js";
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

async function getMany(body: object): Promise<(MemoryBody | null)[]> {
  const reply = await api.request.post("/v1/memories/get").send(body);
  return bodyOf<{ memories: (MemoryBody | null)[] }>(reply, 200).memories;
}

const MALFORMED = ["7", "no-uuid", "0190a0a0000070008000000000000000", "'; drop table memories; --", "%00", "é"];

describe("POST /v1/memories/get", () => {
  it("200: answers in the order asked for, with null for what is not to be had", async () => {
    const user_id = uniqueName("user");
    const [a, b] = [await api.store({ user_id, content: "a" }), await api.store({ user_id, content: "b" })];
    const gone = await api.store({ user_id, content: "gone" });
    const foreign = await api.store({ user_id: uniqueName("user"), content: "foreign" });
    bodyOf(await api.request.delete(`/v1/memories/${gone.id}`).query({ user_id }), 200);
    const ids = [b.id, randomUUID(), a.id, gone.id, foreign.id, "no-uuid", "", b.id, a.id.toUpperCase()];
    expect(await getMany({ user_id, ids })).toEqual([b, null, a, null, null, null, null, b, a]);
  });

  it("200: knows nothing in a scope where nothing was ever written", async () => {
    expect(await getMany({ user_id: uniqueName("user"), ids: [randomUUID(), "x"] })).toEqual([null, null]);
  });

  it("400: takes 1 to 500 ids", async () => {
    const user_id = uniqueName("user");
    const ids = Array.from({ length: 501 }, () => randomUUID());
    expect(await getMany({ user_id, ids: ids.slice(1) })).toHaveLength(500);
    for (const wrong of [ids, [], undefined, "x"]) {
      const reply = await api.request.post("/v1/memories/get").send({ user_id, ids: wrong });
      expect(wrongFields(reply)).toEqual(["ids"]);
    }
  });

  it("400: names an id that cannot be one", async () => {
    const reply = await api.request.post("/v1/memories/get").send({ user_id: "u", ids: ["x", 7, "y".repeat(65)] });
    expect(wrongFields(reply)).toEqual(["ids[1]", "ids[2]"]);
  });
});

describe("an id that is not to be had", () => {
  /** What a caller can see of a reply, its request id apart. */
  function visible(response: Response): object {
    const { request_id: _, ...problem } = problemOf(response, "not_found");
    const { "content-type": type, etag, "content-length": length } = response.headers;
    return { problem, type, etag, length };
  }

  async function everyRoute(id: string, scope: Record<string, string>): Promise<object[]> {
    const path = `/v1/memories/${encodeURIComponent(id)}`;
    return [
      visible(await api.request.get(path).query(scope)),
      visible(await api.request.get(`${path}/history`).query(scope)),
      visible(await api.request.patch(path).send({ ...scope, content: "y" })),
      visible(
        await api.request
          .patch(path)
          .set("If-Match", '"9"')
          .send({ ...scope, tags: [] }),
      ),
      visible(await api.request.delete(path).query(scope)),
      visible(await api.request.delete(path).query({ ...scope, expected_revision: 9 })),
    ];
  }

  it("404: is answered the same when it is foreign, unknown, deleted or malformed", async () => {
    const scope = { user_id: uniqueName("user") };
    const own = await api.store({ ...scope, content: "x" });
    const unknown = await everyRoute(randomUUID(), scope);
    const foreign = await api.store({ user_id: uniqueName("user"), content: "foreign" });
    const inProject = await api.store({ ...scope, project: "p", content: "in a project" });
    const deleted = await api.store({ ...scope, content: "deleted" });
    bodyOf(await api.request.delete(`/v1/memories/${deleted.id}`).query(scope), 200);
    for (const id of [foreign.id, inProject.id, deleted.id, ...MALFORMED]) {
      expect(await everyRoute(id, scope)).toEqual(unknown);
    }
    expect(await api.read(foreign.id, { user_id: foreign.user_id ?? "" })).toEqual(foreign);
    expect(await api.read(inProject.id, { ...scope, project: "p" })).toEqual(inProject);
    expect(await api.read(own.id, scope)).toEqual(own);
  });

  it("404: is answered the same in a scope where nothing was ever written", async () => {
    const scope = { user_id: uniqueName("user") };
    const foreign = await api.store({ user_id: uniqueName("user"), content: "foreign" });
    expect(await everyRoute(foreign.id, scope)).toEqual(await everyRoute(randomUUID(), scope));
  });

  it("400: a scope that is not valid is told before anything else", async () => {
    for (const id of [randomUUID(), "no-uuid"]) {
      expect(wrongFields(await api.request.get(`/v1/memories/${id}`))).toEqual(["user_id"]);
      expect(wrongFields(await api.request.get(`/v1/memories/${id}`).query({ user_id: "u", x: 1 }))).toEqual(["x"]);
    }
  });
});

describe("GET /v1/memories/{id}", () => {
  it("200: takes the id in capitals too", async () => {
    const user_id = uniqueName("user");
    const memory = await api.store({ user_id, content: "x" });
    expect(await api.read(memory.id.toUpperCase(), { user_id })).toEqual(memory);
  });

  it("200: answers HEAD with the same head and no body", async () => {
    const user_id = uniqueName("user");
    const { id } = await api.store({ user_id, content: "x" });
    const reply = await api.request.head(`/v1/memories/${id}`).query({ user_id });
    expect([reply.status, reply.headers.etag, reply.text]).toEqual([200, '"1"', undefined]);
  });
});

describe("GET /v1/memories/{id}/history", () => {
  it("200: shows every revision as it was, newest first", async () => {
    const user_id = uniqueName("user");
    const first = await api.store({ user_id, content: "one", tags: ["a"] });
    const patch = async (fields: object): Promise<MemoryBody> =>
      bodyOf<MemoryBody>(await api.request.patch(`/v1/memories/${first.id}`).send({ user_id, ...fields }), 200);
    const second = await patch({ content: "two" });
    const third = await patch({ tags: [], importance: 1 });
    const reply = await api.request.get(`/v1/memories/${first.id}/history`).query({ user_id });
    expect(bodyOf<{ revisions: MemoryBody[] }>(reply, 200).revisions).toEqual([third, second, first]);
  });
});
