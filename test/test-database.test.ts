import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { sql } from "../src/db/sql.js";
import { openTestDatabase, testTarget, type TestDatabase } from "./support/test-database.js";
import { uniqueName } from "./support/unique-name.js";

describe("a test database", () => {
  let first: TestDatabase;
  let second: TestDatabase;

  beforeAll(async () => {
    [first, second] = await Promise.all([openTestDatabase(), openTestDatabase()]);
  });

  afterAll(async () => {
    await Promise.all([first.close(), second.close()]);
  });

  it("is migrated", async () => {
    const [row] = await first.db.run<{ count: number }>(sql`select count(*)::int as "count" from schema_migrations`);
    expect(row?.count).toBeGreaterThan(0);
  });

  it("is of the kind that the set-up chose", () => {
    expect(first.db.kind).toBe(testTarget().kind);
    expect(first.target).toBe(testTarget().kind);
  });

  it("is not seen by another one", async () => {
    const name = uniqueName("tenant");
    await first.db.run(sql`insert into tenants (name) values (${name})`);
    const found = sql`select name from tenants where name = ${name}`;
    expect(await first.db.run(found)).toHaveLength(1);
    expect(await second.db.run(found)).toHaveLength(0);
  });
});
