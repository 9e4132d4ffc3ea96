import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { uuidv7 } from "uuidv7";
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

beforeAll(async () => {
  database = await openTestDatabase();
  const recorded = recording(database.db);
  log = recorded.log;
  api = await startKeyedApi(recorded.db);
  const tenant = await api.tenant();
  key = await tenant.key();
  const stranger = await (await api.tenant()).key();
  await store(key, SCOPE);
  foreign["another user's"] = await store(key, { ...SCOPE, user_id: "theirs" });
  foreign["another project's"] = await store(key, { ...SCOPE, project: "q" });
  foreign["one of no project"] = await store(key, { user_id: SCOPE.user_id });
  foreign["a workspace's"] = await store(key, { workspace_id: "mine", project: "p", agent_id: "a" });
  foreign["another tenant's"] = await store(stranger, SCOPE);
  const deleted = await store(key, SCOPE);
  await api.request.delete(`/v1/memories/${deleted}`).query(SCOPE).set(bearer(key));
});

afterAll(async () => {
  await api.close();
  await database.close();
});

async function store(holder: CreatedKey, scope: object): Promise<string> {
  const reply = await api.request
    .post("/v1/memories")
    .set(bearer(holder))
    .send({ ...scope, content: "A memory." });
  expect(reply.status).toBe(201);
  return (reply.body as { id: string }).id;
}

type Ask = (id: string) => ReturnType<KeyedApi["request"]["get"]>;

const ASKS: Record<string, Ask> = {
  "GET /v1/memories/{id}": (id) => api.request.get(`/v1/memories/${id}`).query(SCOPE),
  "GET /v1/memories/{id}/history": (id) => api.request.get(`/v1/memories/${id}/history`).query(SCOPE),
  "PATCH /v1/memories/{id}": (id) => api.request.patch(`/v1/memories/${id}`).send({ ...SCOPE, content: "Changed." }),
  "PATCH with If-Match": (id) =>
    api.request
      .patch(`/v1/memories/${id}`)
      .set("If-Match", '"1"')
      .send({ ...SCOPE, importance: 1 }),
  "DELETE /v1/memories/{id}": (id) => api.request.delete(`/v1/memories/${id}`).query(SCOPE),
  "POST /v1/memories/get": (id) => api.request.post("/v1/memories/get").send({ ...SCOPE, ids: [id] }),
  "POST /v1/memories/delete": (id) => api.request.post("/v1/memories/delete").send({ ...SCOPE, ids: [id] }),
  "POST /v1/memories/delete, dry": (id) =>
    api.request.post("/v1/memories/delete").send({ ...SCOPE, ids: [id], dry_run: true }),
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

describe.each(Object.entries(ASKS))("%s", (_title, ask) => {
  it("answers a foreign id as an unknown one: status, headers, body and statements", async () => {
    await observe(ask, uuidv7());
    const unknown = await observe(ask, uuidv7());
    expect((unknown as { statements: unknown[] }).statements.length).toBeGreaterThan(1);
    for (const [whose, id] of Object.entries(foreign)) {
      expect({ whose, seen: await observe(ask, id) }).toEqual({ whose, seen: unknown });
    }
  });
});
