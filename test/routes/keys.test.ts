import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import type { Capability } from "../../src/core/access.js";
import { sql } from "../../src/db/sql.js";
import { bearer, refusal, startKeyedApi, type KeyedApi, type TestTenant } from "../support/keyed-api.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";

interface KeyBody {
  id: string;
  key?: string;
  name: string;
  capabilities: Capability[];
  grants: object;
  created_at: string;
  revoked_at: string | null;
}

let database: TestDatabase;
let api: KeyedApi;
let tenant: TestTenant;
let admin: Record<string, string>;

beforeAll(async () => {
  database = await openTestDatabase();
  api = await startKeyedApi(database.db);
});

afterAll(async () => {
  await api.close();
  await database.close();
});

beforeEach(async () => {
  tenant = await api.tenant();
  admin = bearer(await tenant.key(["admin"]));
});

async function create(body: object): Promise<KeyBody & { key: string }> {
  const reply = await api.request.post("/v1/keys").set(admin).send(body);
  expect(reply.status).toBe(201);
  return reply.body as KeyBody & { key: string };
}

async function list(): Promise<KeyBody[]> {
  const reply = await api.request.get("/v1/keys").set(admin);
  expect(reply.status).toBe(200);
  return (reply.body as { keys: KeyBody[] }).keys;
}

describe("POST /v1/keys", () => {
  it("201: makes a key with what was asked for, and the key works", async () => {
    const grants = { projects: ["p", null], workspaces: ["w"], agents: ["a"], user_ids: ["u", "ü 👩‍🚀"] };
    const made = await create({ name: "notes app", capabilities: ["memory_write", "memory_read"], grants });
    expect(made).toMatchObject({
      name: "notes app",
      capabilities: ["memory_read", "memory_write"],
      grants,
      revoked_at: null,
    });
    expect(made.key).toMatch(/^mg_[A-Za-z0-9_-]{43}$/);
    const reply = await api.request.get("/v1/whoami").set(bearer(made));
    expect(reply.body).toEqual({
      actor: made.id,
      tenant: tenant.name,
      capabilities: ["memory_read", "memory_write"],
      grants,
    });
  });

  it("201: an admin without any memory capability may make a key that has them", async () => {
    const made = await create({ name: "all", capabilities: ["memory_erase", "memory_read"] });
    expect(made).toMatchObject({ capabilities: ["memory_read", "memory_erase"], grants: {} });
  });

  it("stores the SHA-256 of the key and nowhere the key", async () => {
    const { id, key } = await create({ name: "stored", capabilities: ["memory_read"] });
    const [row] = await database.db.run<{ row: string; same: boolean }>(sql`
      select k::text as "row", k.key_hash = sha256(convert_to(${key}::text, 'UTF8')) as "same"
      from api_keys as k
      where k.id = ${id}::uuid
    `);
    expect(row!.same).toBe(true);
    expect(row!.row).not.toContain(key.slice(3));
  });

  it.each([
    ["no name", { capabilities: ["admin"] }, ["name"]],
    ["a blank name", { name: " ", capabilities: ["admin"] }, ["name"]],
    ["no capabilities", { name: "n" }, ["capabilities"]],
    ["an empty list of capabilities", { name: "n", capabilities: [] }, ["capabilities"]],
    ["an unknown capability", { name: "n", capabilities: ["root"] }, ["capabilities[0]"]],
    ["an unknown field", { name: "n", capabilities: ["admin"], tenant: "other" }, ["tenant"]],
    ["an unknown grant", { name: "n", capabilities: ["admin"], grants: { missions: ["m"] } }, ["grants.missions"]],
    ["an empty list of grants", { name: "n", capabilities: ["admin"], grants: { user_ids: [] } }, ["grants.user_ids"]],
    ["null among users", { name: "n", capabilities: ["admin"], grants: { user_ids: [null] } }, ["grants.user_ids[0]"]],
    ["a lone surrogate", { name: "n", capabilities: ["admin"], grants: { agents: ["\ud800"] } }, ["grants.agents[0]"]],
  ])("400: %s", async (_case, body, fields) => {
    const reply = await api.request.post("/v1/keys").set(admin).send(body);
    expect(refusal(reply)).toEqual({ status: 400, code: "invalid_request", fields });
  });
});

describe("GET /v1/keys", () => {
  it("200: lists the tenant's keys, oldest first, without the keys and their hashes", async () => {
    const first = await create({ name: "one", capabilities: ["memory_read"] });
    const second = await create({ name: "two", capabilities: ["memory_write"], grants: { projects: [null] } });
    await api.request.delete(`/v1/keys/${first.id}`).set(admin);
    const keys = await list();
    expect(keys.map(({ name }) => name)).toEqual(["test", "one", "two"]);
    expect(keys[1]!.revoked_at).not.toBeNull();
    const { key: _key, ...shown } = second;
    expect(keys[2]).toEqual(shown);
    expect(JSON.stringify(keys)).not.toMatch(/mg_|hash/);
  });

  it("200: shows no key of another tenant", async () => {
    const other = await (await api.tenant()).key(["admin"]);
    expect((await list()).map(({ id }) => id)).not.toContain(other.id);
  });
});

describe("DELETE /v1/keys/{id}", () => {
  it("200: ends the key with the next request, between two pages of a listing too", async () => {
    const { id, key } = await create({ name: "reader", capabilities: ["memory_read", "memory_write"] });
    const reader = bearer({ key });
    for (const content of ["one", "two"]) {
      const stored = await api.request.post("/v1/memories").set(reader).send({ user_id: "u", content });
      expect(stored.status).toBe(201);
    }
    const page = await api.request.get("/v1/memories").query({ user_id: "u", limit: 1 }).set(reader);
    const { next_cursor: cursor } = page.body as { next_cursor: string };
    expect(cursor).not.toBeNull();
    expect((await api.request.delete(`/v1/keys/${id}`).set(admin)).status).toBe(200);
    const next = await api.request.get("/v1/memories").query({ user_id: "u", limit: 1, cursor }).set(reader);
    expect(refusal(next)).toMatchObject({ status: 401, code: "unauthenticated" });
  });

  it("200: again, with the time of the first", async () => {
    const { id } = await create({ name: "twice", capabilities: ["memory_read"] });
    const first = await api.request.delete(`/v1/keys/${id}`).set(admin);
    await new Promise((resolve) => setTimeout(resolve, 5));
    const second = await api.request.delete(`/v1/keys/${id.toUpperCase()}`).set(admin);
    expect(first.body).toMatchObject({ id });
    expect({ status: second.status, body: second.body as unknown }).toEqual({
      status: 200,
      body: first.body as unknown,
    });
  });

  it("200: a key may revoke itself", async () => {
    const [own] = await list();
    expect((await api.request.delete(`/v1/keys/${own!.id}`).set(admin)).status).toBe(200);
    expect((await api.request.get("/v1/keys").set(admin)).status).toBe(401);
  });

  it("404 alike: an unknown id, no UUID, a key of another tenant, which goes on", async () => {
    const foreign = await (await api.tenant()).key();
    const bodies = [];
    for (const id of ["00000000-0000-7000-8000-000000000000", "no-uuid", foreign.id]) {
      const reply = await api.request.delete(`/v1/keys/${id}`).set({ ...admin, "X-Request-ID": "same" });
      expect(reply.status).toBe(404);
      bodies.push(reply.text);
    }
    expect(new Set(bodies).size).toBe(1);
    expect((await api.request.get("/v1/whoami").set(bearer(foreign))).status).toBe(200);
  });
});

describe("every route of keys", () => {
  it.each([
    ["post", "/v1/keys"],
    ["get", "/v1/keys"],
    ["delete", "/v1/keys/00000000-0000-7000-8000-000000000000"],
  ] as const)("403: %s %s without admin, whatever else the key has", async (method, path) => {
    const key = await tenant.key(["memory_read", "memory_write", "memory_review", "memory_erase"]);
    const reply = await api.request[method](path).set(bearer(key));
    const wellFormed = method === "post" ? await api.request.post(path).set(bearer(key)).send({ bad: 1 }) : reply;
    expect(refusal(wellFormed)).toEqual({ status: 403, code: "forbidden", fields: [] });
  });
});

it("a key is in no log line and in no reply after the one that made it", async () => {
  const { id, key } = await create({ name: "quiet", capabilities: ["admin"] });
  const replies = [
    await api.request.get("/v1/keys").set(bearer({ key })),
    await api.request.get("/v1/whoami").set("X-API-Key", key),
    await api.request.get("/v1/memories").query({ user_id: "u" }).set(bearer({ key })),
    await api.request.post("/v1/memories").set(bearer({ key })).set("X-API-Key", `${key}x`).send("{"),
    await api.request.get(`/v1/nowhere`).set(bearer({ key })),
    await api.request.delete(`/v1/keys/${id}`).set(bearer({ key })),
    await api.request.get("/v1/whoami").set(bearer({ key })),
  ];
  for (const reply of replies) expect(reply.text + JSON.stringify(reply.headers)).not.toContain(key.slice(3));
  expect(api.logged.join("")).not.toContain(key.slice(3));
});
