import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { bodyOf, startApi, type Api } from "../support/api.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";

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

const READY = { status: "ready", database: "ok", migrations: "ok", space: "ok" };

async function whileChanged(change: string, undo: string, work: () => Promise<void>): Promise<void> {
  await database.db.script(change);
  try {
    await work();
  } finally {
    await database.db.script(undo);
  }
}

describe("GET /health/live and /health/ready", () => {
  it("200: say that the process lives and can serve", async () => {
    expect(bodyOf(await api.request.get("/health/live"), 200)).toEqual({ status: "live" });
    expect(bodyOf(await api.request.get("/health/ready"), 200)).toEqual(READY);
  });

  it("503: is not ready while a migration is pending, and ready again after it", async () => {
    const hide = "create table kept as select * from schema_migrations; delete from schema_migrations";
    await whileChanged(hide, "insert into schema_migrations select * from kept", async () => {
      const reply = bodyOf(await api.request.get("/health/ready"), 503);
      expect(reply).toEqual({ ...READY, status: "not_ready", migrations: "pending" });
    });
    expect(bodyOf(await api.request.get("/health/ready"), 200)).toEqual(READY);
  });

  it("503: is not ready while the served space is not registered", async () => {
    const hide = "create table kept_spaces as select * from spaces; delete from spaces";
    const show = "insert into spaces overriding system value select * from kept_spaces";
    await whileChanged(hide, show, async () => {
      expect(bodyOf(await api.request.get("/health/ready"), 503)).toMatchObject({ database: "ok", space: "unknown" });
      expect((await api.request.get("/health/live")).status).toBe(200);
    });
    expect(bodyOf(await api.request.get("/health/ready"), 200)).toEqual(READY);
  });
});
