import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { numbered, sql, trustedSql, type Sql } from "../../src/db/sql.js";
import type { Runnable } from "../../src/db/database.js";
import { pendingMemories } from "../../src/db/queries/backlog.js";
import { readEvents } from "../../src/db/queries/change-events.js";
import { readByContentKey, readByExternalId, readHeads } from "../../src/db/queries/heads.js";
import { findMemories, listMemories } from "../../src/db/queries/read-memories.js";
import { findReceipt } from "../../src/db/queries/receipts.js";
import { scopeWithBacklog } from "../../src/db/queries/scopes.js";
import { scoreCandidates } from "../../src/db/queries/score-candidates.js";
import { filledId, fillScopes } from "../support/filled-scopes.js";
import { scoreQueryOf } from "../support/score-query.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";

const DIMENSIONS = 8;
/** The test database is new, so its first two scopes have these ids. */
const SCOPE = 1;
const ID = filledId(SCOPE, 7);
const VIEW = { scopeId: SCOPE, viewer: null, now: new Date(), past: false };

let database: TestDatabase;

beforeAll(async () => {
  database = await openTestDatabase();
  expect(await fillScopes(database.db, 3_000)).toEqual([SCOPE, SCOPE + 1]);
});

afterAll(async () => {
  await database.close();
});

/** The statement that a query function would run. */
async function statementOf(query: (db: Runnable) => Promise<unknown>): Promise<Sql> {
  const seen: Sql[] = [];
  const capture: Runnable = {
    run: async (statement) => {
      seen.push(statement);
      return await Promise.resolve([{}] as never);
    },
  };
  await query(capture).catch(() => undefined);
  const [statement] = seen;
  if (statement === undefined) throw new Error("the query ran no statement");
  return statement;
}

/** Index scans of a plan with their conditions, under row level security. */
async function indexScans(statement: Sql): Promise<string[]> {
  const explained: Sql = {
    parts: [`explain (costs off) ${statement.parts[0] ?? ""}`, ...statement.parts.slice(1)],
    values: statement.values,
  };
  const rows = await database.db.inScope(SCOPE).run<{ "QUERY PLAN": string }>(explained);
  const lines = rows.map((row) => row["QUERY PLAN"].trim());
  return lines.flatMap((line, index) => {
    const name = /Index (?:Only )?Scan(?: Backward)? (?:using|on) (\S+)/.exec(line)?.[1];
    const condition = lines.slice(index + 1).find((next) => next.startsWith("Index Cond:")) ?? "";
    return name === undefined ? [] : [`${name} ${condition}`];
  });
}

describe("statements under row level security use their index", () => {
  const table: [string, (db: Runnable) => Promise<unknown>, string, RegExp][] = [
    ["a memory by id", (db) => findMemories(db, VIEW, [ID]), "candidates_memory", /scope_id = .*memory_id = /],
    [
      "a listing, in the index's order",
      (db) => listMemories(db, VIEW, { filters: {}, after: { createdAt: new Date(), id: ID }, limit: 5 }),
      "candidates_listing",
      /scope_id = .*created_at, memory_id\) </,
    ],
    ["heads by id", (db) => readHeads(db, VIEW, [ID]), "candidates_memory", /scope_id = .*memory_id = /],
    [
      "a memory by its external id",
      (db) => readByExternalId(db, SCOPE, { agentId: null, externalIds: ["external 7"] }),
      "memories_external_id",
      /scope_id = .*external_id = /,
    ],
    [
      "a memory by its content",
      (db) => readByContentKey(db, SCOPE, { agentId: null, contentKeys: ["content 7"], replaced: [], at: new Date() }),
      "memories_content_key",
      /scope_id = .*content_key = /,
    ],
    [
      "events by sequence",
      (db) => readEvents(db, SCOPE, { from: 1, to: 9 }),
      "change_events_pkey",
      /scope_id = .*seq >= .*seq <= /,
    ],
    [
      "a receipt by key",
      (db) => findReceipt(db, SCOPE, { actor: "local", operation: "POST /v1/memories", key: "key 7", since: null }),
      "receipts_pkey",
      /scope_id = .*actor = .*operation = .*key = /,
    ],
    [
      "postings by term",
      (db) =>
        scoreCandidates(db, VIEW, scoreQueryOf({ vector: new Float32Array(DIMENSIONS).fill(1), terms: [61n, 62n] })),
      "postings_pkey",
      /scope_id = .*term = /,
    ],
    [
      "the backlog of a scope",
      (db) => pendingMemories(db, SCOPE, { spaceId: 1, limit: 5 }),
      "candidates_",
      /scope_id = /,
    ],
  ];

  it.each(table)("%s", async (_name, query, index, condition) => {
    const scans = await indexScans(await statementOf(query));
    const right = scans.filter((scan) => scan.startsWith(index) && condition.test(scan));
    expect({ scans, right }).toEqual({ scans, right: [expect.any(String)] });
  });

  it("finds the scopes with a backlog by their index, before any scope is known", async () => {
    const statement = await statementOf((db) => scopeWithBacklog(db, { spaceId: 1, after: 0, lacking: true }));
    const rows = await database.db.transaction(async (tx) => {
      await tx.run(sql`select set_config('enable_seqscan', 'off', true)`);
      return await tx.run<{ "QUERY PLAN": string }>(
        trustedSql(`explain ${numbered(statement).replaceAll(/\$\d+/g, "1")}`),
      );
    });
    expect(rows.map((row) => row["QUERY PLAN"]).join("\n")).toMatch(/scopes_pkey/);
  });
});
