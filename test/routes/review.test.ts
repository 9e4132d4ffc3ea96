import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { refusal, startKeyedApi, type KeyedApi } from "../support/keyed-api.js";
import { everywhere, MemoryClient, type MemoryBody, type ScopeFields } from "../support/memory-client.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";
import { uniqueName } from "../support/unique-name.js";

let database: TestDatabase;
let api: KeyedApi;
let client: MemoryClient;

beforeAll(async () => {
  database = await openTestDatabase();
  api = await startKeyedApi(database.db);
  client = new MemoryClient(api, await (await api.tenant()).key());
});

afterAll(async () => {
  await api.close();
  await database.close();
});

const newScope = (): ScopeFields => ({ user_id: uniqueName("user") });

describe("POST /v1/memories/{id}/review", () => {
  it("200: a rejected memory is found by nothing, until it is approved or reset", async () => {
    const scope = newScope();
    const { id } = await client.store(scope);
    expect(await client.found(scope, id)).toEqual(everywhere(true));
    for (const [index, back] of (["approve", "reset"] as const).entries()) {
      const rejected = await client.review(scope, id, { action: "reject" });
      expect(rejected.body).toMatchObject({ id, review: "rejected", revision: 2 + 2 * index, content: "zebra" });
      expect(await client.found(scope, id)).toEqual(everywhere(false));
      const restored = await client.review(scope, id, { action: back });
      expect(restored.body).toMatchObject({
        review: back === "approve" ? "approved" : "none",
        revision: 3 + 2 * index,
      });
      expect(restored.headers.etag).toBe(`"${String(3 + 2 * index)}"`);
      expect(await client.found(scope, id)).toEqual(everywhere(true));
    }
  });

  it("200: writes a revision with the state and an event, and keeps the vector", async () => {
    const scope = newScope();
    const { id } = await client.store(scope);
    expect((await client.review(scope, id, { action: "approve" })).body).toMatchObject({ embedding_status: "ready" });
    const history = (await client.read(scope, `/v1/memories/${id}/history`)).body as { revisions: MemoryBody[] };
    expect(history.revisions.map((each) => [each.revision, each.review])).toEqual([
      [2, "approved"],
      [1, "none"],
    ]);
    expect(await client.changes(scope)).toEqual([
      ["created", 1],
      ["reviewed", 2],
    ]);
  });

  it("200: the state that it has already makes no revision and no event", async () => {
    const scope = newScope();
    const { id } = await client.store(scope);
    await client.review(scope, id, { action: "reject" });
    expect((await client.review(scope, id, { action: "reject" })).body).toMatchObject({
      revision: 2,
      review: "rejected",
    });
    expect(await client.changes(scope)).toHaveLength(2);
  });

  it("200: an approval ends with a new content, a rejection does not", async () => {
    const scope = newScope();
    const { id } = await client.store(scope, { external_id: "x" });
    await client.review(scope, id, { action: "approve" });
    const path = `/v1/memories/${id}`;
    expect((await client.patch(path, { ...scope, importance: 1 })).body).toMatchObject({ review: "approved" });
    expect((await client.patch(path, { ...scope, content: "okapi" })).body).toMatchObject({ review: "none" });
    await client.review(scope, id, { action: "reject" });
    const again = await client.post("/v1/memories", { ...scope, content: "zebra", external_id: "x" });
    expect(again.body).toMatchObject({ id, review: "rejected" });
    expect(await client.found(scope, id)).toEqual(everywhere(false));
  });

  it("409: another revision than the one expected, by either way of saying so", async () => {
    const scope = newScope();
    const { id } = await client.store(scope);
    const conflict = { status: 409, body: { code: "revision_conflict", revision: 1 } };
    expect(await client.review(scope, id, { action: "reject", expected_revision: 2 })).toMatchObject(conflict);
    expect(await client.review(scope, id, { action: "reject" }, { "If-Match": '"2"' })).toMatchObject(conflict);
    expect((await client.review(scope, id, { action: "reject" }, { "If-Match": '"1"' })).status).toBe(200);
  });

  it("200: the same command under one Idempotency-Key has the first reply, byte for byte, whatever came after", async () => {
    const scope = newScope();
    const { id } = await client.store(scope);
    const headers = { "Idempotency-Key": randomUUID() };
    const first = await client.review(scope, id, { action: "approve" }, headers);
    await client.review(scope, id, { action: "reject" });
    const again = await client.review(scope, id, { action: "approve" }, headers);
    expect(again.headers).toMatchObject({ "idempotency-replayed": "true", etag: first.headers.etag });
    expect(again.text).toBe(first.text);
    expect(await client.found(scope, id)).toEqual(everywhere(false));
    expect(refusal(await client.review(scope, id, { action: "reset" }, headers))).toMatchObject({
      code: "idempotency_conflict",
    });
  });

  it("404: an unknown, malformed, deleted and foreign id", async () => {
    const scope = newScope();
    const foreign = await client.store(newScope());
    const gone = await client.store(scope);
    await client.review(scope, gone.id, { action: "reject" });
    const removed = await client.remove(scope, gone.id);
    expect(removed).toMatchObject({ status: 200, body: { revision: 3 } });
    for (const id of [randomUUID(), "no-uuid", foreign.id, gone.id]) {
      expect(refusal(await client.review(scope, id, { action: "approve" }))).toMatchObject({
        status: 404,
        code: "not_found",
      });
    }
  });

  it("404: what the reviewing agent may not see; 200: what it may, of another author", async () => {
    const workspace = { workspace_id: uniqueName("workspace") };
    const [alice, bob] = ["alice", "bob"].map((agent_id) => ({ ...workspace, agent_id }));
    const open = await client.store(alice!);
    const hidden = await client.store(alice!, { visibility: "agent_only" });
    expect((await client.review(bob!, hidden.id, { action: "reject" })).status).toBe(404);
    expect((await client.review(bob!, open.id, { action: "reject" })).status).toBe(200);
    expect(await client.found(alice!, open.id)).toEqual(everywhere(false));
  });

  it("400: names an action that there is not, and a field that is not known", async () => {
    const scope = newScope();
    const { id } = await client.store(scope);
    const refused = await client.review(scope, id, { action: "delete", reason: "x" });
    expect(refusal(refused)).toMatchObject({ status: 400, fields: ["action", "reason"] });
  });
});
