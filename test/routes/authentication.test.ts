import { request as httpRequest } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { toApiKey } from "../../src/core/api-key.js";
import type { CreatedKey } from "../../src/services/index.js";
import { bearer, refusal, startKeyedApi, type KeyedApi, type TestTenant } from "../support/keyed-api.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";

let database: TestDatabase;
let api: KeyedApi;
let tenant: TestTenant;
let key: CreatedKey;
let other: CreatedKey;

const unknown = toApiKey(Buffer.alloc(32, 7));

beforeAll(async () => {
  database = await openTestDatabase();
  api = await startKeyedApi(database.db);
  tenant = await api.tenant();
  [key, other] = [await tenant.key(), await tenant.key()];
});

afterAll(async () => {
  await api.close();
  await database.close();
});

describe("a request is let in", () => {
  it.each<[string, () => Record<string, string>]>([
    ["Authorization: Bearer", () => bearer(key)],
    ["the scheme in other case", () => ({ Authorization: `bEARER ${key.key}` })],
    ["X-API-Key", () => ({ "X-API-Key": key.key })],
    ["both, the same", () => ({ ...bearer(key), "X-API-Key": key.key })],
  ])("200: with %s", async (_case, headers) => {
    const reply = await api.request.get("/v1/whoami").set(headers());
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({ actor: key.id, tenant: tenant.name, grants: {} });
  });
});

describe("a request is not let in", () => {
  const cases: [string, () => Record<string, string>][] = [
    ["no key", () => ({})],
    ["an unknown key", () => ({ Authorization: `Bearer ${unknown}` })],
    ["an unknown X-API-Key", () => ({ "X-API-Key": unknown })],
    ["a malformed key", () => ({ Authorization: "Bearer mg_short" })],
    ["a key with something behind it", () => ({ Authorization: `Bearer ${key.key}A` })],
    ["the key without its prefix", () => ({ Authorization: `Bearer ${key.key.slice(3)}` })],
    ["an empty X-API-Key", () => ({ "X-API-Key": "" })],
    ["no key behind Bearer", () => ({ Authorization: "Bearer" })],
    ["another scheme", () => ({ Authorization: `Basic ${Buffer.from(key.key).toString("base64")}` })],
    ["another scheme beside a good key", () => ({ Authorization: "Basic eDp5", "X-API-Key": key.key })],
    ["two keys, both good", () => ({ ...bearer(key), "X-API-Key": other.key })],
    ["a good key and an unknown one", () => ({ ...bearer(key), "X-API-Key": unknown })],
    ["the hash of a key", () => ({ Authorization: `Bearer ${Buffer.from(key.key).toString("hex")}` })],
  ];

  it.each(cases)("401: %s", async (_case, headers) => {
    const reply = await api.request.get("/v1/whoami").set(headers());
    expect(refusal(reply)).toEqual({ status: 401, code: "unauthenticated", fields: [] });
    expect(reply.headers["www-authenticate"]).toBe("Bearer");
    expect(reply.headers["content-type"]).toBe("application/problem+json; charset=utf-8");
  });

  it("401: every time with the same body", async () => {
    const replies = await Promise.all(
      cases.map(async ([, headers]) => {
        const reply = await api.request.get("/v1/whoami").set({ ...headers(), "X-Request-ID": "same" });
        return reply.text;
      }),
    );
    expect(new Set(replies).size).toBe(1);
  });

  it("401: with the header given twice, both good", async () => {
    expect(await statusOf(["X-API-Key", key.key, "X-API-Key", other.key])).toBe(401);
    expect(await statusOf(["Authorization", `Bearer ${key.key}`, "Authorization", `Bearer ${other.key}`])).toBe(401);
    expect(await statusOf(["X-API-Key", key.key])).toBe(200);
  });

  it("401: by a key in the query", async () => {
    expect((await api.request.get("/v1/whoami").query({ api_key: key.key })).status).toBe(401);
  });
});

describe("what is open", () => {
  it.each(["/health/live", "/health/ready", "/docs", "/openapi.json"])("200: %s, even with a bad key", async (path) => {
    expect((await api.request.get(path)).status).toBe(200);
    expect((await api.request.get(path).set("X-API-Key", "bad")).status).toBe(200);
  });
});

describe("the key decides the tenant", () => {
  it("the same scope names mean another scope for another tenant", async () => {
    const stranger = await (await api.tenant()).key();
    const scope = { user_id: "shared name" };
    const stored = await api.request
      .post("/v1/memories")
      .set(bearer(key))
      .send({ ...scope, content: "Mine." });
    expect(stored.status).toBe(201);
    const { id } = stored.body as { id: string };
    const listed = await api.request.get("/v1/memories").query(scope).set(bearer(stranger));
    expect(listed.body).toEqual({ memories: [], next_cursor: null });
    const read = await api.request.get(`/v1/memories/${id}`).query(scope).set(bearer(stranger));
    expect(refusal(read)).toMatchObject({ status: 404, code: "not_found" });
  });

  it("400: and no field does", async () => {
    const body = { user_id: "u", tenant_id: tenant.id, content: "Mine." };
    const reply = await api.request.post("/v1/memories").set(bearer(key)).send(body);
    expect(refusal(reply)).toEqual({ status: 400, code: "invalid_request", fields: ["tenant_id"] });
  });
});

/** With headers as they are on the wire, repeated ones too. */
async function statusOf(headers: string[]): Promise<number> {
  return await new Promise((resolve, reject) => {
    const sent = httpRequest(`${api.url}/v1/whoami`, { headers: [...headers, "Host", "127.0.0.1"] }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on("error", reject).end();
  });
}
