import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { hashApiKey, toApiKey } from "../../src/core/api-key.js";
import { sql } from "../../src/db/sql.js";
import { defaultTenant } from "../../src/db/queries/tenants.js";
import { authenticate } from "../../src/services/authenticate.js";
import { createKeyServices, localCaller, type CreatedKey } from "../../src/services/index.js";
import { recording, type Recorded } from "../support/recording-database.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";

let database: TestDatabase;
let recorded: ReturnType<typeof recording>;
let made: CreatedKey;

const grants = { projects: [null, "p"], agents: ["a"], userIds: ["u"] };

beforeAll(async () => {
  database = await openTestDatabase();
  recorded = recording(database.db);
  const keys = createKeyServices({ db: database.db, clock: () => new Date() });
  const caller = localCaller(await defaultTenant(database.db));
  made = await keys.createKey(caller, { name: "n", capabilities: ["memory_write"], grants });
});

afterAll(async () => {
  await database.close();
});

/** The statements of one authentication, which may fail. */
async function statementsOf(key: string): Promise<Recorded[]> {
  recorded.log.length = 0;
  await authenticate(recorded, key).catch(() => undefined);
  return [...recorded.log];
}

it("a key says tenant, actor, capabilities and grants", async () => {
  expect(await authenticate(recorded, made.key)).toEqual({
    tenantId: await defaultTenant(database.db),
    actor: made.id,
    capabilities: new Set(["memory_write"]),
    grants,
  });
});

it("one statement finds a key, known or not, by its hash alone; a malformed key needs none", async () => {
  const unknown = toApiKey(Buffer.alloc(32));
  const [known, other] = [await statementsOf(made.key), await statementsOf(unknown)];
  expect(known).toHaveLength(1);
  expect(other.map(({ text }) => text)).toEqual(known.map(({ text }) => text));
  expect(known[0]!.values).toEqual([hashApiKey(made.key)]);
  expect(await statementsOf("mg_malformed")).toEqual([]);
});

it("the look-up is a search of the unique index", async () => {
  const [{ statement } = { statement: undefined }] = await statementsOf(made.key);
  const plan = await database.db.transaction(async (tx) => {
    // A table of one row would be scanned.
    await tx.script("set local enable_seqscan = off; set local enable_bitmapscan = off");
    return await tx.run<{ "QUERY PLAN": string }>(sql`explain ${statement!}`);
  });
  expect(plan.map((row) => row["QUERY PLAN"]).join("\n")).toMatch(/Index Scan using api_keys_hash/);
});
