import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { CAPABILITIES } from "../../src/core/access.js";
import { openDatabase } from "../../src/db/open-database.js";
import { defaultTenant } from "../../src/db/queries/tenants.js";
import { createKeyServices, localCaller, type Caller, type KeyServices } from "../../src/services/index.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";

let database: TestDatabase;
let keys: KeyServices;
let caller: Caller;

beforeEach(async () => {
  database = await openTestDatabase();
  keys = createKeyServices({ db: database.db, clock: () => new Date() });
  caller = localCaller(await defaultTenant(database.db));
});

afterEach(async () => {
  await database.close();
});

describe("the first key", () => {
  it("can do everything, and is made once", async () => {
    const first = await keys.createFirstKey(caller.tenantId);
    expect(first).toMatchObject({ capabilities: CAPABILITIES, grants: {}, revokedAt: null });
    expect(await keys.createFirstKey(caller.tenantId)).toBeUndefined();
    const { key: _key, ...row } = first!;
    expect(await keys.listKeys(caller)).toEqual([row]);
  });

  it("is not made where there is another key, a revoked one included", async () => {
    const { id } = await keys.createKey(caller, { name: "only", capabilities: ["memory_read"], grants: {} });
    expect(await keys.createFirstKey(caller.tenantId)).toBeUndefined();
    await keys.revokeKey(caller, id);
    expect(await keys.createFirstKey(caller.tenantId)).toBeUndefined();
  });

  it("is one, however many servers start at once on one database", async () => {
    // The embedded database has one process only, so there the same one asks many times.
    const dbs =
      database.target === "embedded"
        ? Array.from({ length: 8 }, () => database.db)
        : await Promise.all(Array.from({ length: 8 }, async () => await openDatabase(database.settings)));
    const made = await Promise.all(
      dbs.map(async (db) => await createKeyServices({ db, clock: () => new Date() }).createFirstKey(caller.tenantId)),
    );
    if (database.target === "postgres") await Promise.all(dbs.map((db) => db.close()));
    expect(made.filter((key) => key !== undefined)).toHaveLength(1);
    expect(await keys.listKeys(caller)).toHaveLength(1);
  });
});
