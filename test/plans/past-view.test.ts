import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { sql, type Sql } from "../../src/db/sql.js";
import { queryHashes } from "../../src/services/index-content.js";
import { filledId, fillScopes } from "../support/filled-scopes.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";
import { readView, viewStatement } from "../support/view-rows.js";

const EACH = 3_000;
const DERIVED = 1_500;
const WORDS = "common words";
/** After everything was written. */
const NOW = new Date("2026-06-01T00:00:00Z");

let database: TestDatabase;
let known: number;
let unknown: number;

beforeAll(async () => {
  database = await openTestDatabase();
  [known] = await fillScopes(database.db, EACH);
  await tie(known);
  await database.db.script("analyze");
  // What comes after the statistics: a scope that these have never heard of.
  unknown = await copyScope(known);
});

afterAll(async () => {
  await database.close();
});

/** Every word common to all, a content that is over for every second memory, and long and wide derivations. */
async function tie(scopeId: number): Promise<void> {
  const id = (n: string): string => `('${filledId(scopeId, 0).slice(0, -8)}' || lpad(to_hex(${n}), 8, '0'))::uuid`;
  const scope = String(scopeId);
  const [one, two] = queryHashes(WORDS).map(String);
  await database.db.script(`
    insert into postings (scope_id, term, memory_no, frequency, length)
      select ${scope}, t, n, 1, 3 from generate_series(1, ${String(EACH)}) as n cross join unnest(array[${one!}, ${two!}]) as t;
    update memories set content_revision = 2, revision = 2 where scope_id = ${scope} and memory_no % 2 = 0;
    update candidates set content_revision = 2, revision = 2 where scope_id = ${scope} and memory_no % 2 = 0;
    insert into past_postings (scope_id, memory_id, content_revision, terms, frequencies, lengths)
      select ${scope}, ${id("n")}, 1, array[${one!}, ${two!}], '{1,1}', '{3,3}' from generate_series(2, ${String(EACH)}, 2) as n;
    insert into memory_sources (scope_id, memory_id, source_id, source_content_revision)
      select ${scope}, ${id(`${String(DERIVED)} + n`)}, ${id(`(n + k * 7) % ${String(DERIVED)} + 1`)}, 1
      from generate_series(1, ${String(EACH - DERIVED)}) as n cross join generate_series(1, 20) as k
      on conflict do nothing;
    update memory_revisions set expires_at = '2027-01-01' where scope_id = ${scope};
  `);
}

/** The same rows under a new scope. */
async function copyScope(from: number): Promise<number> {
  const [row] = await database.db.run<{ id: number }>(sql`
    insert into scopes (tenant_id, user_id)
    select tenant_id, 'unknown to the statistics'
    from scopes
    where id = ${from}
    returning id
  `);
  for (const table of ["memories", "memory_revisions", "memory_sources", "candidates", "postings", "past_postings"]) {
    await database.db.script(`
      create temporary table copied as select * from ${table} where scope_id = ${String(from)};
      update copied set scope_id = ${String(row!.id)};
      insert into ${table} select * from copied;
      drop table copied;
    `);
  }
  return row!.id;
}

interface PlanNode {
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number;
  readonly "Rows Removed by Join Filter"?: number;
  readonly Plans?: readonly PlanNode[];
}

/** Rows that a statement went through, those that it looked at and left included. */
async function rowsHandled(scopeId: number, statement: Sql): Promise<number> {
  const explained: Sql = {
    parts: [`explain (analyze, timing off, format json) ${statement.parts[0] ?? ""}`, ...statement.parts.slice(1)],
    values: statement.values,
  };
  const [row] = await database.db.inScope(scopeId).run<{ "QUERY PLAN": readonly { Plan: PlanNode }[] }>(explained);
  return sum(row!["QUERY PLAN"][0]!.Plan);
}

function sum(node: PlanNode): number {
  const { "Rows Removed by Filter": filtered = 0, "Rows Removed by Join Filter": unjoined = 0, Plans = [] } = node;
  const own = (node["Actual Rows"] + filtered + unjoined) * node["Actual Loops"];
  return Plans.reduce((total, plan) => total + sum(plan), own);
}

describe("reading the past goes through a scope a fixed number of times", () => {
  const view = (scopeId: number, past: boolean) => ({ scopeId, viewer: null, now: NOW, past });
  const query = { spaceId: 1, words: WORDS };

  it.each<[string, () => number, boolean]>([
    ["one that the statistics know", () => known, true],
    ["one that they do not know", () => unknown, true],
    ["the present of one that they know", () => known, false],
    ["the present of one that they do not know", () => unknown, false],
  ])("%s", async (_which, scope, past) => {
    const scopeId = scope();
    const seen = view(scopeId, past);
    const shown = await readView(database.db.inScope(scopeId), seen, query);
    expect({ shown: shown.length, held: shown.filter(({ held }) => held.length === 2).length }).toEqual({
      shown: EACH,
      held: EACH,
    });
    // Some 200,000 for 3,000 memories with 30,000 edges; a loop over memories in a loop over memories is 9,000,000.
    expect(await rowsHandled(scopeId, viewStatement(seen, query))).toBeLessThan(900_000);
  });
});
