import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { bodyOf, problemOf, startApi, type Api, type MemoryBody } from "../support/api.js";
import type { Database } from "../../src/db/database.js";
import { openDatabase } from "../../src/db/open-database.js";
import { sql } from "../../src/db/sql.js";
import { startTcpProxy, type TcpProxy } from "../support/tcp-proxy.js";
import { openTestDatabase, testTarget, type TestDatabase } from "../support/test-database.js";
import { uniqueName } from "../support/unique-name.js";
import { until } from "../support/until.js";

/** An embedded database cannot be gone: it lives in this process. */
const onPostgres = testTarget().kind === "postgres" ? describe : describe.skip;

onPostgres("a database that goes away", () => {
  let database: TestDatabase;
  let proxy: TcpProxy;
  let db: Database;
  let api: Api;

  beforeAll(async () => {
    database = await openTestDatabase();
    if (database.settings.kind !== "postgres") throw new Error("not on Postgres");
    const url = new URL(database.settings.url);
    proxy = await startTcpProxy(url.hostname, Number(url.port === "" ? 5432 : url.port));
    [url.hostname, url.port] = ["127.0.0.1", String(proxy.port)];
    db = await openDatabase({ kind: "postgres", url: url.href, poolMax: 4 });
    api = await startApi({ db });
  });

  afterAll(async () => {
    await api.close();
    await db.close();
    await proxy.cut();
    await database.close();
  });

  /** Every route that needs the database, once. */
  async function expectUnavailable(user_id: string, id: string): Promise<void> {
    const { request } = api;
    const replies = [
      await request.post("/v1/memories").send({ user_id, content: "x" }),
      await request.post("/v1/memories/batch").send({ user_id, memories: [{ content: "x" }] }),
      await request.post("/v1/memories/get").send({ user_id, ids: [id] }),
      await request.post("/v1/memories/delete").send({ user_id, ids: [id] }),
      await request.post("/v1/memories/search").send({ user_id, query: "x" }),
      await request.get("/v1/memories").query({ user_id }),
      await request.get(`/v1/memories/${id}`).query({ user_id }),
      await request.patch(`/v1/memories/${id}`).send({ user_id, content: "y" }),
      await request.delete(`/v1/memories/${id}`).query({ user_id }),
    ];
    for (const reply of replies) {
      problemOf(reply, "database_unavailable");
      expect(reply.headers["retry-after"]).toBe("1");
      expect(reply.text).not.toMatch(/127\.0\.0\.1|ECONN|postgres/i);
    }
    const ready = await request.get("/health/ready");
    expect(bodyOf(ready, 503)).toMatchObject({ status: "not_ready", database: "unreachable" });
    bodyOf(await request.get("/health/live"), 200);
  }

  async function expectBack(user_id: string, memory: MemoryBody): Promise<void> {
    await until(async () => (await api.request.get("/health/ready")).status === 200);
    expect(await api.read(memory.id, { user_id })).toEqual(memory);
    expect((await api.search({ user_id, query: "zebra" })).count).toBe(1);
    await api.store({ user_id, content: "giraffe" });
  }

  it("503: is told to every request, and service is back without a restart", async () => {
    const user_id = uniqueName("user");
    const memory = await api.store({ user_id, content: "zebra" });
    await proxy.cut();
    await expectUnavailable(user_id, memory.id);
    await proxy.mend();
    await expectBack(user_id, memory);
  });

  it("503: a database that takes no connections is one that does not answer", async () => {
    const user_id = uniqueName("user");
    const memory = await api.store({ user_id, content: "zebra" });
    const name = new URL((database.settings as { url: string }).url).pathname.slice(1);
    const target = testTarget();
    const admin = await openDatabase({
      kind: "postgres",
      url: target.kind === "postgres" ? target.url : "",
      poolMax: 1,
    });
    try {
      await admin.script(`alter database ${name} allow_connections false`);
      await admin.run(sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`);
      await expectUnavailable(user_id, memory.id);
    } finally {
      await admin.script(`alter database ${name} allow_connections true`);
      await admin.close();
    }
    await expectBack(user_id, memory);
  });

  it("503: a transaction that is cut off stores nothing, or all of it", async () => {
    const user_id = uniqueName("user");
    await api.store({ user_id, content: "first" });
    const memories = Array.from({ length: 200 }, (_, n) => ({ content: `zebra ${String(n)}` }));
    const posted = Promise.resolve(api.request.post("/v1/memories/batch").send({ user_id, memories }));
    await new Promise((resolve) => setTimeout(resolve, 40));
    await proxy.cut();
    const { status } = await posted;
    await proxy.mend();
    await until(async () => (await api.request.get("/health/ready")).status === 200);
    const list = await api.request.get("/v1/memories").query({ user_id, limit: 200 });
    const { length } = bodyOf<{ memories: unknown[] }>(list, 200).memories;
    expect(status === 503 ? [1, 200] : [200]).toContain(length);
  });
});
