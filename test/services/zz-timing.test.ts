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

const TABLES = ["memories", "memory_revisions", "memory_sources", "candidates"];
it("timing", async () => {
  const a = new MemoryWorld(system);
  await deriveMany(a, await a.store("root"), WIDEST);
  const out: string[] = [];
  for (let mask = 0; mask < 16; mask++) {
    const names = TABLES.filter((_, i) => mask & (1 << i));
    for (const name of names) await database.db.script(`analyze ${name}`);
    const world = new MemoryWorld(system);
    const root = await world.store("root");
    let at = performance.now();
    const lap = (): number => {
      const ms = Math.round(performance.now() - at);
      at = performance.now();
      return ms;
    };
    await deriveMany(world, root, WIDEST);
    const derive = lap();
    const db = await world.db();
    const { refreshFromSources } = await import("../../src/db/queries/dependents.js");
    const { refreshEligibility } = await import("../../src/db/queries/candidates.js");
    const id = await world.scopeId();
    const all = await walkDependents(db, id, { ids: [root.id], limit: 10003 });
    const walk = lap();
    const plan: string[] = [];
    await refreshFromSources(
      explaining(db, plan),
      id,
      all.filter((x) => x.depth === 1).map((x) => x.id),
    );
    lap();
    await refreshFromSources(
      db,
      id,
      all.filter((x) => x.depth === 1).map((x) => x.id),
    );
    const refresh = lap();
    await refreshEligibility(
      db,
      id,
      all.map((x) => x.id),
    );
    const elig = lap();
    await world.review(root, "rejected");
    const review = lap();
    await stateOf(world);
    console.log(names.join("+") + " " + JSON.stringify({ derive, walk, refresh, elig, review, state: lap() }));
    if (refresh > 1000 || walk > 1000 || elig > 1000 || review > 2000) out.push(plan.map((p) => p.slice(0, 150)).join("\n"));
  }
  console.log(out.join("\n"));
}, 600000);
