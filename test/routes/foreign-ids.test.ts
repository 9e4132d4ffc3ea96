import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { uuidv7 } from "uuidv7";
import { allRoutes } from "../../src/routes/all-routes.js";
import type { CreatedKey } from "../../src/services/index.js";
import { bearer, startKeyedApi, type KeyedApi } from "../support/keyed-api.js";
import { recording, type Recorded } from "../support/recording-database.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";

let database: TestDatabase;
let api: KeyedApi;
let log: Recorded[];
let key: CreatedKey;
/** Memories that exist, each out of the reach of the scope that the requests name. */
const foreign: Record<string, string> = {};

const SCOPE = { user_id: "mine", project: "p" };
const WORKSPACE = { workspace_id: "written to", project: "p", agent_id: "a" };

beforeAll(async () => {
  database = await openTestDatabase();
  const recorded = recording(database.db);
  log = recorded.log;
  api = await startKeyedApi(recorded.db);
  const tenant = await api.tenant();
  key = await tenant.key();
  const stranger = await (await api.tenant()).key();
  await store(key, SCOPE);
  await store(key, WORKSPACE);
  foreign["another user's"] = await store(key, { ...SCOPE, user_id: "theirs" });
  foreign["another project's"] = await store(key, { ...SCOPE, project: "q" });
  foreign["one of no project"] = await store(key, { user_id: SCOPE.user_id });
  foreign["a workspace's"] = await store(key, { workspace_id: "mine", project: "p", agent_id: "a" });
  foreign["another agent's own"] = await store(key, { ...WORKSPACE, agent_id: "z" }, { visibility: "agent_only" });
  foreign["another tenant's"] = await store(stranger, SCOPE);
  const deleted = await store(key, SCOPE);
  await api.request.delete(`/v1/memories/${deleted}`).query(SCOPE).set(bearer(key));
});

afterAll(async () => {
  await api.close();
  await database.close();
});

async function store(holder: CreatedKey, scope: object, fields: object = {}): Promise<string> {
  const reply = await api.request
    .post("/v1/memories")
    .set(bearer(holder))
    .send({ ...scope, ...fields, content: "A memory." });
  expect(reply.status).toBe(201);
  return (reply.body as { id: string }).id;
}

type Ask = (id: string) => ReturnType<KeyedApi["request"]["get"]>;

const ASKS: Record<string, { readonly status: number; readonly ask: Ask }> = {
  "GET /v1/memories/{id}": {
    status: 404,
    ask: (id) => api.request.get(`/v1/memories/${id}`).query(SCOPE),
  },
  "GET /v1/memories/{id}/history": {
    status: 404,
    ask: (id) => api.request.get(`/v1/memories/${id}/history`).query(SCOPE),
  },
  "PATCH /v1/memories/{id}": {
    status: 404,
    ask: (id) => api.request.patch(`/v1/memories/${id}`).send({ ...SCOPE, content: "Changed." }),
  },
  "PATCH with If-Match": {
    status: 404,
    ask: (id) =>
      api.request
        .patch(`/v1/memories/${id}`)
        .set("If-Match", '"1"')
        .send({ ...SCOPE, importance: 1 }),
  },
  "DELETE /v1/memories/{id}": {
    status: 404,
    ask: (id) => api.request.delete(`/v1/memories/${id}`).query(SCOPE),
  },
  "POST /v1/memories/{id}/review": {
    status: 404,
    ask: (id) => api.request.post(`/v1/memories/${id}/review`).send({ ...SCOPE, action: "reject" }),
  },
  "PUT /v1/memories/{id}/grants/{agent_id}": {
    status: 404,
    ask: (id) => api.request.put(`/v1/memories/${id}/grants/b`).query(WORKSPACE),
  },
  "DELETE /v1/memories/{id}/grants/{agent_id}": {
    status: 404,
    ask: (id) => api.request.delete(`/v1/memories/${id}/grants/b`).query(WORKSPACE),
  },
  "GET /v1/memories/{id} in a workspace": {
    status: 404,
    ask: (id) => api.request.get(`/v1/memories/${id}`).query(WORKSPACE),
  },
  "PATCH /v1/memories/{id} in a workspace": {
    status: 404,
    ask: (id) => api.request.patch(`/v1/memories/${id}`).send({ ...WORKSPACE, content: "Changed." }),
  },
  "DELETE /v1/memories/{id} in a workspace": {
    status: 404,
    ask: (id) => api.request.delete(`/v1/memories/${id}`).query(WORKSPACE),
  },
  "POST /v1/erase": {
    status: 404,
    ask: (id) => api.request.post("/v1/erase").send({ ...SCOPE, target: { memory_id: id } }),
  },
  "POST /v1/erase in a workspace": {
    status: 404,
    ask: (id) => api.request.post("/v1/erase").send({ ...WORKSPACE, target: { memory_id: id } }),
  },
  "POST /v1/erase, dry": {
    status: 404,
    ask: (id) => api.request.post("/v1/erase").send({ ...SCOPE, target: { memory_id: id }, dry_run: true }),
  },
  "POST /v1/memories/get": {
    status: 200,
    ask: (id) => api.request.post("/v1/memories/get").send({ ...SCOPE, ids: [id] }),
  },
  "POST /v1/memories/delete": {
    status: 200,
    ask: (id) => api.request.post("/v1/memories/delete").send({ ...SCOPE, ids: [id] }),
  },
  "POST /v1/memories/delete, dry": {
    status: 200,
    ask: (id) => api.request.post("/v1/memories/delete").send({ ...SCOPE, ids: [id], dry_run: true }),
  },
};

/** All that can be seen of one request, from outside and in the database, with the id and the times taken out. */
async function observe(ask: Ask, id: string): Promise<unknown> {
  log.length = 0;
  const reply = await ask(id).set(bearer(key));
  const { "x-request-id": requestId, date: _date, ...headers } = reply.headers as Record<string, string>;
  const statements = log.map(({ text, values }) => [
    text,
    values.map((value) => (value instanceof Date ? "time" : value)),
  ]);
  const seen = JSON.stringify({ status: reply.status, headers, body: reply.text, statements });
  return JSON.parse(seen.replaceAll(id, "(id)").replaceAll(requestId!, "(request id)"));
}

describe.each(Object.entries(ASKS))("%s", (_title, { status, ask }) => {
  it("answers a foreign id as an unknown one: status, headers, body and statements", async () => {
    await observe(ask, uuidv7());
    const unknown = await observe(ask, uuidv7());
    expect(unknown).toMatchObject({ status });
    expect((unknown as { statements: unknown[] }).statements.length).toBeGreaterThan(1);
    for (const [whose, id] of Object.entries(foreign)) {
      expect({ whose, seen: await observe(ask, id) }).toEqual({ whose, seen: unknown });
    }
  });
});

it("every route to one memory is among these", () => {
  const routes = allRoutes({ traceEnabled: false, drain: new AbortController().signal });
  const paths = routes.filter(({ path }) => path.startsWith("/v1/memories/{id}"));
  expect(Object.keys(ASKS)).toEqual(
    expect.arrayContaining(paths.map(({ method, path }) => `${method.toUpperCase()} ${path}`)),
  );
});
