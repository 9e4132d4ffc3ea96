import { afterAll, beforeAll, expect, it } from "@jest/globals";
import type { Memory } from "../../src/core/memory.js";
import type { Runnable } from "../../src/db/database.js";
import { walkDependents } from "../../src/db/queries/dependents.js";
import { sql } from "../../src/db/sql.js";
import { verifyScope } from "../../src/services/verify.js";
import { MemoryWorld, startSystem, type MemorySystem } from "../support/memory-world.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";

let database: TestDatabase;
let system: MemorySystem;

beforeAll(async () => {
  database = await openTestDatabase();
  system = await startSystem(database.db);
});

afterAll(async () => {
  await system.close();
  await database.close();
});

const WIDEST = 10_000;

/** `count` memories derived from `root`, half of them from the other half, as if each had been stored. */
async function deriveMany(world: MemoryWorld, root: Memory, count: number): Promise<void> {
  const scopeId = await world.scopeId();
  await (
    await world.db()
  ).transaction(async (tx) => {
    await tx.run(sql`
      insert into memories (scope_id, id, memory_no, revision, content_revision, depth, created_at, updated_at)
      select ${scopeId}::bigint, gen_random_uuid(), 100 + n, 1, 1, 1 + n % 2, now(), now()
      from generate_series(0, ${count - 1}::integer) as n
    `);
    await tx.run(sql`
      insert into memory_revisions (scope_id, memory_id, revision, content_revision, content, content_digest, exact_length,
        stemmed_length, tags, importance, trust, metadata, event_at, recorded_at)
      select scope_id, id, 1, 1, 'x', '', 0, 0, '{}', 0.5, 1, '{}', now(), now()
      from memories
      where scope_id = ${scopeId}::bigint
        and memory_no >= 100
    `);
    await tx.run(sql`
      insert into memory_sources (scope_id, memory_id, source_id, source_content_revision)
      select d.scope_id, d.id, case d.depth when 1 then ${root.id}::uuid else s.id end, 1
      from memories as d
      left join memories as s
        on s.scope_id = d.scope_id
        and s.memory_no = d.memory_no - 1
      where d.scope_id = ${scopeId}::bigint
        and d.memory_no >= 100
    `);
    await tx.run(sql`
      insert into candidates (scope_id, memory_no, memory_id, revision, content_revision, importance, trust, event_at,
        created_at, content_digest, exact_length, stemmed_length)
      select scope_id, memory_no, id, 1, 1, 0.5, 1, now(), now(), '', 0, 0
      from memories
      where scope_id = ${scopeId}::bigint
        and memory_no >= 100
    `);
  });
}

async function eligible(world: MemoryWorld): Promise<number> {
  const [row] = await (
    await world.db()
  ).run<{ count: number }>(sql`select count(*) as count from candidates where eligible`);
  return row!.count;
}

/** The plan of a statement, as lines. */
function explaining(tx: Runnable, plan: string[]): Runnable {
  return {
    run: async ({ parts: [first = "", ...rest], values }) => {
      const rows = await tx.run<{ "QUERY PLAN": string }>({ parts: [`explain ${first}`, ...rest], values });
      plan.push(...rows.map((row) => row["QUERY PLAN"]));
      return [];
    },
  };
}

/** All that a refused write must leave as it was. */
async function stateOf(world: MemoryWorld): Promise<unknown> {
  return await (
    await world.db()
  ).run(sql`
    select s.head_seq, s.head_digest, s.live_memories,
           (select array_agg(m.revision || ' ' || m.review || ' ' || m.sources_valid order by m.id) from memories as m) as memories,
           (select count(*) from memory_revisions) as revisions,
           (select count(*) from candidates where eligible) as eligible,
           (select count(*) from change_events) as events,
           (select count(*) from receipts) as receipts
    from scopes as s
    where s.id = ${await world.scopeId()}::bigint
  `);
}

it("one change reaches 10,000 derived memories, in both directions", async () => {
  const world = new MemoryWorld(system);
  const root = await world.store("root");
  await deriveMany(world, root, WIDEST);
  expect(await eligible(world)).toBe(WIDEST + 1);
  await world.review(root, "rejected");
  expect(await eligible(world)).toBe(0);
  await world.review(root, "none");
  expect(await eligible(world)).toBe(WIDEST + 1);
  const wrong = await verifyScope({ db: database.db }, await world.scopeId());
  expect(wrong.filter((each) => each.check === "eligibility")).toEqual([]);
}, 120_000);

it("the walk goes from index to index in a scope that the planner's statistics do not know", async () => {
  await database.db.script("analyze");
  const world = new MemoryWorld(system);
  const root = await world.store("root");
  await deriveMany(world, root, 1_000);
  const plan: string[] = [];
  await walkDependents(explaining(await world.db(), plan), await world.scopeId(), { ids: [root.id], limit: WIDEST });
  const scans = plan.flatMap((line) => /(?:Index|Seq|Bitmap).*Scan (?:using|on) (\w+)/.exec(line)?.[1] ?? []);
  expect(new Set(scans)).toEqual(new Set(["memories_pkey", "memory_sources_dependents"]));
});

it("409: a change that would reach one more is refused and leaves nothing behind", async () => {
  const world = new MemoryWorld(system);
  const root = await world.store("root", { externalId: "root" });
  await deriveMany(world, root, WIDEST + 1);
  const before = await stateOf(world);
  const once = { key: "once", operation: "test", command: {} };
  const named = { ...world.scope, id: root.id, expectedRevision: undefined, once };
  const { services, caller } = system;
  const changes = {
    review: services.reviewMemory(caller, { ...named, review: "rejected" }),
    content: services.updateMemory(caller, { ...named, patch: { content: "new" } }),
    expiry: services.updateMemory(caller, { ...named, patch: { expiresAt: new Date("2031-01-01") } }),
    replacement: world.store("new", { externalId: "root" }),
    deletion: services.deleteMemory(caller, named),
    "deletion of many": services.deleteMemories(caller, {
      ...world.scope,
      what: { ids: [root.id] },
      dryRun: false,
      once,
    }),
  };
  for (const [title, work] of Object.entries(changes)) {
    const code = await work.then(
      () => "done",
      (error: unknown) => (error as { code: string }).code,
    );
    expect({ title, code }).toEqual({ title, code: "derivation_too_wide" });
  }
  expect(await stateOf(world)).toEqual(before);
  await world.change(root, { tags: ["what they do not hang on"] });
  await world.review(root, "approved");
  expect(await eligible(world)).toBe(WIDEST + 2);
}, 120_000);

it("what was deleted, or derived from an older content, no longer counts", async () => {
  const world = new MemoryWorld(system);
  const root = await world.store("root");
  await deriveMany(world, root, WIDEST);
  await world.change(root, { content: "new root" });
  await world.derive("new child", [root]);
  await world.review(root, "rejected");
  await world.review(root, "none");
  expect(await world.current()).toEqual(["new child", "new root"]);
}, 120_000);
