import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { startApi, wrongFields, type Api } from "../support/api.js";
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

const ROUTES = ["/v1/memories/search", "/v1/memories/search/fast"];

describe.each(ROUTES)("POST %s", (route) => {
  it.each(
    [
      ["query", `"query":""`],
      ["query", `"query":" \\u00a0\\n"`],
      ["query", `"query":"${"x".repeat(4_097)}"`],
      ["query", `"query":"${"é".repeat(2_048)}x"`],
      ["query", `"query":"a\\u0000"`],
      ["query", `"query":"\\ud83d"`],
      ["query", `"query":["x"]`],
      ["query", `"query":null`],
      ["threshold", `"threshold":1.01`],
      ["threshold", `"threshold":-0.01`],
      ["threshold", `"threshold":1e999`],
      ["threshold", `"threshold":"0.3"`],
      ["threshold", `"threshold":null`],
      ["gate_mode", `"gate_mode":"AUTO"`],
      ["gate_mode", `"gate_mode":null`],
      ["limit", `"limit":0`],
      ["limit", `"limit":101`],
      ["limit", `"limit":1.5`],
      ["limit", `"limit":"5"`],
      ["limit", `"limit":1e999`],
      ["explain", `"explain":"true"`],
      ["as_of", `"as_of":"yesterday"`],
      ["as_of", `"as_of":"2026-02-30T00:00:00Z"`],
      ["as_of", `"as_of":"2026-02-28T00:00:00"`],
      ["as_of", `"as_of":1767225600`],
      ["top_k", `"top_k":5`],
      ["embedding", `"embedding":[1]`],
    ].map(([field = "", json = ""]) => [field, json.slice(0, 40), json] as const),
  )("400: names the field that is wrong: %s in %s", async (field, _, json) => {
    const body = `{"user_id":"u","query":"harp",${json}}`;
    const reply = await api.request.post(route).set("Content-Type", "application/json").send(body);
    expect(wrongFields(reply)).toEqual([field]);
  });

  it("400: asks for exactly one scope", async () => {
    expect(wrongFields(await api.request.post(route).send({ query: "x" }))).toEqual(["user_id"]);
    const both = { query: "x", user_id: "u", workspace_id: "w", agent_id: "a" };
    expect(wrongFields(await api.request.post(route).send(both))).toEqual(["user_id"]);
    expect(wrongFields(await api.request.post(route).send({ query: "x", workspace_id: "w" }))).toEqual(["agent_id"]);
  });

  it("200: takes a query of 4,096 bytes, and whatever characters it has", async () => {
    const user_id = uniqueName("user");
    await api.store({ user_id, content: "harp" });
    for (const query of ["é".repeat(2_048), "'; drop table memories; --", "%_\\", "👩‍👩‍👧", "?", "\u0001", "…"]) {
      const reply = await api.request.post(route).send({ user_id, query });
      expect(reply.status).toBe(200);
    }
  });
});
