import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { refusal, startKeyedApi, type KeyedApi, type TestTenant } from "../support/keyed-api.js";
import { everywhere, MemoryClient, type ScopeFields } from "../support/memory-client.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";
import { uniqueName } from "../support/unique-name.js";

let database: TestDatabase;
let api: KeyedApi;
let tenant: TestTenant;
let client: MemoryClient;

beforeAll(async () => {
  database = await openTestDatabase();
  api = await startKeyedApi(database.db);
  tenant = await api.tenant();
  client = new MemoryClient(api, await tenant.key());
});

afterAll(async () => {
  await api.close();
  await database.close();
});

const newScope = (): ScopeFields => ({ user_id: uniqueName("user") });

describe("source_memory_ids", () => {
  it("201: are shown by every way of reading, and a rejected source hides what is derived from it", async () => {
    const scope = newScope();
    const [first, second] = [await client.store(scope), await client.store(scope)];
    const ids = [second.id.toUpperCase(), first.id];
    const derived = await client.store(scope, { source_memory_ids: ids });
    expect(derived.source_memory_ids).toEqual([first.id, second.id]);
    expect((await client.read(scope, `/v1/memories/${derived.id}`)).body).toEqual(derived);
    expect((await client.changes(scope)).map(([kind]) => kind)).toEqual(["created", "created", "derived"]);
    await client.review(scope, first.id, { action: "reject" });
    expect(await client.found(scope, derived.id)).toEqual(everywhere(false));
    expect(await client.found(scope, second.id)).toEqual(everywhere(true));
    expect((await client.review(scope, derived.id, { action: "approve" })).body).toMatchObject({ review: "approved" });
    expect(await client.found(scope, derived.id)).toEqual(everywhere(false));
  });

  it("201: 64 are allowed; 400: 65 are not, nor the same one twice", async () => {
    const scope = newScope();
    const batch = {
      ...scope,
      memories: Array.from({ length: 65 }, (_, index) => ({ content: `memory ${String(index)}` })),
    };
    const { results } = (await client.post("/v1/memories/batch", batch)).body as { results: { id: string }[] };
    const ids = results.map((result) => result.id);
    const derive = async (source_memory_ids: string[]) =>
      await client.post("/v1/memories", { ...scope, content: "d", source_memory_ids });
    expect((await derive(ids.slice(1))).status).toBe(201);
    expect(refusal(await derive(ids))).toMatchObject({ status: 400, fields: ["source_memory_ids"] });
    const twice = await derive([ids[0]!, ids[1]!, ids[0]!.toUpperCase()]);
    expect(refusal(twice)).toMatchObject({ status: 400, fields: ["source_memory_ids[2]"] });
  });

  it("400: one text for an unknown, malformed and foreign source, which is named", async () => {
    const scope = newScope();
    const [own, foreign] = [await client.store(scope), await client.store(newScope())];
    const replies = [];
    for (const id of [randomUUID(), "no-uuid", foreign.id]) {
      replies.push(await client.post("/v1/memories", { ...scope, content: "d", source_memory_ids: [own.id, id] }));
    }
    expect(replies.map(refusal)).toEqual(
      replies.map(() => ({ status: 400, code: "invalid_request", fields: ["source_memory_ids[1]"] })),
    );
    expect(new Set(replies.map((reply) => (reply.body as { detail: string }).detail)).size).toBe(1);
  });

  it("400: cannot be changed", async () => {
    const scope = newScope();
    const { id } = await client.store(scope);
    const reply = await client.patch(`/v1/memories/${id}`, { ...scope, source_memory_ids: [] });
    expect(refusal(reply)).toMatchObject({ status: 400, fields: ["source_memory_ids"] });
  });

  it("400: none of an atomic batch is stored when one source is wrong, and each is named", async () => {
    const scope = newScope();
    const { id } = await client.store(scope);
    const [unknown, twice] = [randomUUID(), randomUUID()];
    const memories = [
      { content: "a" },
      { content: "b", source_memory_ids: [id, unknown] },
      { content: "c", source_memory_ids: [twice] },
    ];
    const reply = await client.post("/v1/memories/batch", { ...scope, memories });
    const fields = ["memories[1].source_memory_ids[1]", "memories[2].source_memory_ids[0]"];
    expect(refusal(reply)).toEqual({ status: 400, code: "invalid_request", fields });
    expect(((await client.read(scope, "/v1/memories")).body as { memories: unknown[] }).memories).toHaveLength(1);
  });

  it("200: in a batch that is not atomic a wrong source is an outcome, the same when it is sent again", async () => {
    const scope = newScope();
    const { id } = await client.store(scope, { external_id: "x" });
    const memories = [
      { content: "" },
      { content: "b", source_memory_ids: [randomUUID()] },
      { content: "c", source_memory_ids: [] },
    ];
    const body = { ...scope, atomic: false, memories: [...memories, { content: "d", source_memory_ids: [id] }] };
    const headers = { "Idempotency-Key": randomUUID() };
    const first = await client.post("/v1/memories/batch", body, headers);
    expect(first.body).toMatchObject({
      results: [
        { index: 0, outcome: "rejected", problem: { errors: [{ path: "memories[0].content" }] } },
        { index: 1, outcome: "rejected", problem: { errors: [{ path: "memories[1].source_memory_ids[0]" }] } },
        { index: 2, outcome: "created" },
        { index: 3, outcome: "created" },
      ],
      counts: { created: 2, rejected: 2 },
    });
    expect((await client.post("/v1/memories/batch", body, headers)).text).toBe(first.text);
  });

  it("400: a source that the same batch replaces", async () => {
    const scope = newScope();
    const { id } = await client.store(scope, { external_id: "x" });
    const memories = [
      { content: "derived", source_memory_ids: [id] },
      { content: "new", external_id: "x" },
    ];
    const reply = await client.post("/v1/memories/batch", { ...scope, memories });
    expect(refusal(reply)).toMatchObject({ status: 400, fields: ["memories[0].source_memory_ids[0]"] });
  });

  it("403: for a key that may write and not read", async () => {
    const scope = newScope();
    const { id } = await client.store(scope);
    const writer = new MemoryClient(api, await tenant.key(["memory_write"]));
    expect((await writer.post("/v1/memories", { ...scope, content: "d" })).status).toBe(201);
    for (const source of [id, randomUUID()]) {
      const derived = await writer.post("/v1/memories", { ...scope, content: "d", source_memory_ids: [source] });
      expect(refusal(derived)).toMatchObject({ status: 403, code: "forbidden" });
    }
  });
});
