import { afterEach, beforeAll, beforeEach, afterAll, describe, expect, it } from "@jest/globals";
import { bearer, startKeyedApi, type KeyedApi } from "../support/keyed-api.js";
import { startLocalApi, type LocalApi, type Reply } from "../support/local-api.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";
import { uniqueName } from "../support/unique-name.js";
import { expectOk } from "../support/written-history.js";

let database: TestDatabase;
let api: LocalApi;

beforeAll(async () => {
  database = await openTestDatabase();
});

afterAll(async () => {
  await database.close();
});

beforeEach(async () => {
  api = await startLocalApi(database.db);
});

afterEach(async () => {
  await api.close();
});

interface Timed {
  readonly reply: Reply;
  readonly ms: number;
}

async function waitForChanges(scope: Record<string, string>, wait: number, after?: string): Promise<Timed> {
  const begun = performance.now();
  const query = { ...scope, wait: String(wait), ...(after === undefined ? {} : { after }) };
  const reply = await api.call({ method: "GET", path: "/v1/changes", query });
  return { reply, ms: performance.now() - begun };
}

async function store(scope: Record<string, string>, content: string): Promise<void> {
  await expectOk(api, { method: "POST", path: "/v1/memories", body: { ...scope, content } });
}

async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}

describe("a reader that waits", () => {
  it("has a change within a second of its write, in a scope that there was not before as well", async () => {
    const scope = { user_id: uniqueName("user") };
    let after: string | undefined;
    for (const content of ["the first", "the second"]) {
      const waiting = waitForChanges(scope, 20, after);
      await pause(300);
      const written = performance.now();
      await store(scope, content);
      const { reply } = await waiting;
      expect(performance.now() - written).toBeLessThan(1_000);
      expect((reply.body.events as unknown[]).length).toBe(1);
      after = String(reply.body.next_cursor);
    }
  });

  it("is answered at once where there is something already", async () => {
    const scope = { user_id: uniqueName("user") };
    await store(scope, "there");
    const { reply, ms } = await waitForChanges(scope, 20);
    expect((reply.body.events as unknown[]).length).toBe(1);
    expect(ms).toBeLessThan(450);
  });

  it("gets an empty page when its time is over", async () => {
    const { reply, ms } = await waitForChanges({ user_id: uniqueName("user") }, 1);
    expect(reply.body).toEqual({ events: [], next_cursor: null, high_watermark: "0", complete: true });
    expect(ms).toBeGreaterThan(950);
    expect(ms).toBeLessThan(2_000);
  });

  it("is let go at once when the server begins to shut down", async () => {
    const scope = { user_id: uniqueName("user") };
    const readers = Array.from({ length: 20 }, async () => await waitForChanges(scope, 30));
    await pause(200);
    const begun = performance.now();
    api.drain();
    const replies = await Promise.all(readers);
    expect(performance.now() - begun).toBeLessThan(400);
    expect(replies.map(({ reply }) => reply.status)).toEqual(readers.map(() => 200));
  });

  it("holds no connection: more may wait than the pool has", async () => {
    const scope = { user_id: uniqueName("user") };
    const readers = Array.from({ length: 40 }, async () => await waitForChanges(scope, 20));
    await pause(100);
    await store(scope, "for all");
    for (const { reply } of await Promise.all(readers)) expect((reply.body.events as unknown[]).length).toBe(1);
  });

  it.each(["31", "-1", "1.5"])("400: may not wait %s seconds", async (wait) => {
    const query = { user_id: uniqueName("user"), wait };
    expect((await api.call({ method: "GET", path: "/v1/changes", query })).status).toBe(400);
  });
});

describe("the changes of a workspace", () => {
  let keyed: KeyedApi;

  beforeAll(async () => {
    keyed = await startKeyedApi(database.db);
  });

  afterAll(async () => {
    await keyed.close();
  });

  it("403: are not for a key that is tied to agents, those of a user are", async () => {
    const tenant = await keyed.tenant();
    const tied = bearer(await tenant.key(["memory_read", "memory_write"], { agents: ["ada"] }));
    const free = bearer(await tenant.key(["memory_read"]));
    const workspace = { workspace_id: uniqueName("workspace"), agent_id: "ada" };
    const secret = { ...workspace, content: "for ada alone", visibility: "agent_only" };
    expect((await keyed.request.post("/v1/memories").set(tied).send(secret)).status).toBe(201);
    const refused = await keyed.request.get("/v1/changes").set(tied).query(workspace);
    expect({ status: refused.status, code: (refused.body as { code: string }).code }).toEqual({
      status: 403,
      code: "forbidden",
    });
    const own = await keyed.request
      .get("/v1/changes")
      .set(tied)
      .query({ user_id: uniqueName("user"), agent_id: "ada" });
    expect(own.status).toBe(200);
    const all = await keyed.request
      .get("/v1/changes")
      .set(free)
      .query({ ...workspace, agent_id: "bob" });
    expect((all.body as { events: unknown[] }).events).toHaveLength(1);
    expect(all.text).not.toContain("for ada alone");
  });
});
