import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { sql } from "../../src/db/sql.js";
import { startLocalApi, type LocalApi } from "../support/local-api.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";
import { uniqueName } from "../support/unique-name.js";
import { expectOk, scopeIdOf } from "../support/written-history.js";

let database: TestDatabase;
let api: LocalApi;

beforeAll(async () => {
  database = await openTestDatabase();
  api = await startLocalApi(database.db);
});

afterAll(async () => {
  await api.close();
  await database.close();
});

const ALL = sql`select content from memory_revisions order by content`;

async function newScope(...contents: string[]): Promise<number> {
  const scope = { user_id: uniqueName("user") };
  for (const content of contents)
    await expectOk(api, { method: "POST", path: "/v1/memories", body: { ...scope, content } });
  return await scopeIdOf(api, scope);
}

describe("a transaction across scopes", () => {
  it("sees nothing before it enters a scope, then that scope alone", async () => {
    const [one, two] = [await newScope("one"), await newScope("two")];
    const seen = await database.db.acrossScopes(async (tx) => {
      const none = await tx.run(ALL);
      await tx.enter(two);
      const second = await tx.run(ALL);
      await tx.enter(one);
      return [none, second, await tx.run(ALL), await tx.run(sql`select id from scopes`)];
    });
    expect(seen).toEqual([[], [{ content: "two" }], [{ content: "one" }], [{ id: one }]]);
  });

  it("writes all or nothing", async () => {
    const [one, two] = [await newScope("one"), await newScope("two")];
    const failed = database.db.acrossScopes(async (tx) => {
      await tx.enter(one);
      await tx.run(sql`update memory_revisions set content = 'changed'`);
      await tx.enter(two);
      throw new Error("half way");
    });
    await expect(failed).rejects.toThrow("half way");
    expect(await database.db.inScope(one).run(ALL)).toEqual([{ content: "one" }]);
  });

  it("leaves nothing of its settings to the connection's next user", async () => {
    const one = await newScope("one");
    await database.db.acrossScopes(async (tx) => {
      await tx.enter(one);
    });
    const [left] = await database.db.run<{ scope: string | null; role: string }>(sql`
      select nullif(current_setting('memgate.scope_id', true), '') as "scope", current_setting('role') as "role"`);
    expect(left).toEqual({ scope: null, role: "none" });
  });
});

describe("a snapshot", () => {
  it("cannot write", async () => {
    const one = await newScope("one");
    const writing = database.db.inScope(one).snapshot(async (tx) => await tx.run(sql`delete from memory_revisions`));
    await expect(writing).rejects.toMatchObject({ code: "25006" });
  });

  it("sees one state, whatever is committed meanwhile, and no other scope", async () => {
    const [one] = [await newScope("one"), await newScope("two")];
    // The embedded database has one turn at a time: nothing can be committed meanwhile.
    const write = async (): Promise<unknown> =>
      database.target === "embedded"
        ? undefined
        : await database.db.inScope(one).run(sql`update memory_revisions set content = 'changed'`);
    const seen = await database.db.inScope(one).snapshot(async (tx) => {
      const before = await tx.run(ALL);
      await write();
      return [before, await tx.run(ALL)];
    });
    expect(seen).toEqual([[{ content: "one" }], [{ content: "one" }]]);
  });
});
