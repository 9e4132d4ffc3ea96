import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { FilterTree } from "../../src/core/filter-tree.js";
import type { Runnable } from "../../src/db/database.js";
import { matchingIds } from "../../src/db/queries/read-memories.js";
import type { Sql } from "../../src/db/sql.js";
import { parseFilterTree } from "../../src/routes/schemas/parse-filter-tree.js";
import { fillScopes } from "../support/filled-scopes.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";

let database: TestDatabase;
let scopeId: number;

beforeAll(async () => {
  database = await openTestDatabase();
  [scopeId = 0] = await fillScopes(database.db, 3_000);
});

afterAll(async () => {
  await database.close();
});

function treeOf(filter: object): FilterTree {
  const parsed = parseFilterTree(filter);
  if ("faults" in parsed) throw new Error(JSON.stringify(parsed.faults));
  return parsed.tree;
}

/** The plan of a look for all that meet the filter, under row level security. */
async function planOf(filter: object): Promise<string> {
  const db = database.db.inScope(scopeId);
  let plan = "";
  const explain: Runnable = {
    run: async <Row extends object>({ parts: [first = "", ...rest], values }: Sql) => {
      const statement = { parts: [`explain (costs off) ${first}`, ...rest], values };
      const rows = await db.run<{ "QUERY PLAN": string }>(statement);
      plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
      return [] as Row[];
    },
  };
  const view = { scopeId, viewer: null, now: new Date(), past: false };
  await matchingIds(explain, view, { filters: { tree: treeOf(filter) }, limit: 9_999 });
  return plan;
}

describe("a filter tree", () => {
  it("over what candidates have themselves reads no revision", async () => {
    const plan = await planOf({
      OR: [{ namespace: { icontains: "x" } }, { importance: { gt: 0.5 } }, { NOT: { tags: { contains: "red" } } }],
      created_at: { gt: "2020-01-01T00:00:00Z" },
    });
    expect(plan).toMatch(/candidates/);
    expect(plan).not.toMatch(/memory_revisions/);
  });

  it("over metadata looks each revision up once, by its key", async () => {
    const plan = await planOf({
      OR: [{ "metadata.a": 1 }, { "metadata.b": { gt: 1 } }, { content: { contains: "x" } }],
    });
    expect(plan.match(/memory_revisions_pkey/g)).toHaveLength(1);
    expect(plan).toMatch(/Index Cond: .*scope_id = .*memory_id = .*revision = /);
  });
});
