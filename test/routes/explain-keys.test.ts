import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { CAPABILITIES } from "../../src/core/access.js";
import { bearer, refusal, startKeyedApi, type KeyedApi } from "../support/keyed-api.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";

let database: TestDatabase;
let api: KeyedApi;

beforeAll(async () => {
  database = await openTestDatabase();
  api = await startKeyedApi(database.db);
});

afterAll(async () => {
  await api.close();
  await database.close();
});

describe.each(["/v1/memories/explain", "/v1/memories/search", "/v1/memories/search/fast"])("POST %s", (path) => {
  const scope = { user_id: "mine" };

  it("403: needs memory_read, and a key that may name the user", async () => {
    const tenant = await api.tenant();
    const all = await tenant.key();
    const stored = await api.request
      .post("/v1/memories")
      .set(bearer(all))
      .send({ ...scope, content: "red" });
    const { id: memory_id } = stored.body as { id: string };
    const body = { ...scope, query: "red", ...(path.endsWith("explain") ? { memory_id } : {}) };
    const ask = async (key: Parameters<typeof bearer>[0]) => await api.request.post(path).set(bearer(key)).send(body);
    const without = CAPABILITIES.filter((each) => each !== "memory_read");
    for (const key of [await tenant.key(without), await tenant.key(CAPABILITIES, { userIds: ["theirs"] })]) {
      expect(refusal(await ask(key))).toMatchObject({ status: 403, code: "forbidden" });
    }
    for (const key of [all, await tenant.key(["memory_read"], { userIds: ["mine"] })]) {
      expect((await ask(key)).status).toBe(200);
    }
    const stranger = await (await api.tenant()).key();
    const reply = await ask(stranger);
    if (path.endsWith("explain")) expect(refusal(reply)).toMatchObject({ status: 404, code: "not_found" });
    else expect(reply.body).toMatchObject({ count: 0, gate: { verdict: "store_empty" } });
    expect((await api.request.post(path).send(body)).status).toBe(401);
  });
});
