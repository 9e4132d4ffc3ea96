import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { Response } from "supertest";
import type { Capability, Grants } from "../../src/core/access.js";
import { bearer, refusal, startKeyedApi, type KeyedApi, type TestTenant } from "../support/keyed-api.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";
import { uniqueName } from "../support/unique-name.js";

let database: TestDatabase;
let api: KeyedApi;
let tenant: TestTenant;

beforeAll(async () => {
  database = await openTestDatabase();
  api = await startKeyedApi(database.db);
  tenant = await api.tenant();
});

afterAll(async () => {
  await api.close();
  await database.close();
});

const ERASER: readonly Capability[] = ["memory_erase"];

async function erase(body: object, grants: Grants = {}, capabilities = ERASER): Promise<Response> {
  const key = await tenant.key(capabilities, grants);
  return await api.request.post("/v1/erase").set(bearer(key)).send(body);
}

async function store(fields: object): Promise<string> {
  const reply = await api.request
    .post("/v1/memories")
    .set(bearer(await tenant.key()))
    .send(fields);
  return (reply.body as { id: string }).id;
}

describe("400: names the field that is wrong", () => {
  const user_id = "u";
  it.each<[string, object, string[]]>([
    ["no target", { user_id }, ["target"]],
    ["an empty target", { user_id, target: {} }, ["target"]],
    ["two targets", { user_id, target: { scope: true, user: true } }, ["target"]],
    ["an unknown target", { user_id, target: { everything: true } }, ["target", "target.everything"]],
    ["false as a target", { user_id, target: { scope: false } }, ["target.scope"]],
    ["a user with a project", { user_id, project: "p", target: { user: true } }, ["project"]],
    ["a user of a workspace", { workspace_id: "w", agent_id: "a", target: { user: true } }, ["user_id"]],
    ["all scopes of a session", { all_scopes: true, target: { session_id: "s" } }, ["all_scopes"]],
    ["all scopes and one of them", { user_id, all_scopes: true, target: { source_site: "s" } }, ["all_scopes"]],
    ["another mode", { user_id, target: { scope: true }, derived: "some" }, ["derived"]],
    ["a flag that is none", { user_id, target: { scope: true }, dry_run: "yes" }, ["dry_run"]],
  ])("%s", async (_what, body, fields) => {
    const refused = refusal(await erase(body));
    expect(refused).toMatchObject({ status: 400, code: "invalid_request" });
    expect(refused.fields.toSorted()).toEqual(fields);
  });
});

describe("403: what the key may not wholly reach", () => {
  it.each<[string, object, Grants]>([
    ["a user in every project, by a key of one", { user_id: "u", target: { user: true } }, { projects: [null] }],
    [
      "a workspace, by a key of an agent",
      { workspace_id: "w", agent_id: "a", target: { scope: true } },
      { agents: ["a"] },
    ],
    ["every scope, by a key of an agent", { all_scopes: true, target: { source_site: "s" } }, { agents: ["a"] }],
  ])("%s", async (_what, body, grants) => {
    expect(refusal(await erase(body, grants))).toMatchObject({ status: 403, code: "forbidden" });
  });

  it("everything, by a key that may do all else", async () => {
    const others: Capability[] = ["memory_read", "memory_write", "memory_review", "admin"];
    const body = { all_scopes: true, target: { source_site: "s" } };
    expect(refusal(await erase(body, {}, others))).toMatchObject({ status: 403, code: "forbidden" });
  });
});

describe("200: what the key may reach", () => {
  it("one memory that its agent sees", async () => {
    const scope = { workspace_id: uniqueName("workspace"), agent_id: "ada" };
    const id = await store({ ...scope, content: "mine", visibility: "agent_only" });
    const target = { memory_id: id };
    expect((await erase({ ...scope, agent_id: "bob", target }, { agents: ["bob"] })).status).toBe(404);
    expect((await erase({ ...scope, target }, { agents: ["ada"] })).status).toBe(200);
  });

  it("a source in the scopes that it may name, and in no others", async () => {
    const site = uniqueName("site");
    const [one, two] = [uniqueName("user"), uniqueName("user")];
    for (const user_id of [one, two]) await store({ user_id, content: "x", source_site: site });
    const other = await api.tenant();
    const foreign = await api.request
      .post("/v1/memories")
      .set(bearer(await other.key()))
      .send({ user_id: one, content: "x", source_site: site });
    const reply = await erase({ all_scopes: true, target: { source_site: site } }, { userIds: [one] });
    expect(reply.body).toMatchObject({ scopes: 1, counts: { memories: 1 } });
    const rest = await erase({ all_scopes: true, target: { source_site: site } });
    expect(rest.body).toMatchObject({ scopes: 1, counts: { memories: 1 } });
    expect(foreign.status).toBe(201);
    const id = (foreign.body as { id: string }).id;
    const read = await api.request
      .get(`/v1/memories/${id}`)
      .query({ user_id: one })
      .set(bearer(await other.key()));
    expect(read.status).toBe(200);
  });
});

it("nothing of a memory or a request is logged, at any level, not even when the database fails", async () => {
  const user_id = uniqueName("user");
  const canary = (field: string): string => uniqueName(`canary-${field}`);
  await database.db.script(`alter table memory_revisions add constraint no_bombs check (content not like '%bomb%')`);
  const key = bearer(await tenant.key());
  const fields = {
    external_id: canary("external"),
    metadata: { [canary("key")]: canary("value") },
    tags: [canary("tag")],
  };
  const path = `/v1/memories/${await store({ user_id, content: canary("content") })}/grants/${canary("agent")}`;
  const broken = await api.request
    .post("/v1/memories")
    .set({ ...key, "Idempotency-Key": canary("idempotency") })
    .send({ user_id, content: `${canary("content")} bomb`, ...fields });
  await api.request
    .put(path)
    .query({ workspace_id: canary("workspace"), agent_id: "a" })
    .set(key);
  await api.request
    .post("/v1/memories/search")
    .set(key)
    .send({ user_id, query: canary("query") });
  await api.request
    .post("/v1/erase")
    .set(key)
    .send({ user_id, target: { source_site: canary("site") } });
  await database.db.script("alter table memory_revisions drop constraint no_bombs");
  expect(broken.status).toBe(500);
  expect(api.logged.join("\n")).toContain("23514");
  expect(api.logged.join("\n")).not.toContain("canary");
});
