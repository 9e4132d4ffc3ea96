import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import type { Memory } from "../../src/core/memory.js";
import { sql } from "../../src/db/sql.js";
import { verifyScope } from "../../src/services/verify.js";
import { MemoryWorld, startSystem, type MemorySystem } from "../support/memory-world.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";

let database: TestDatabase;
let system: MemorySystem;
let world: MemoryWorld;

beforeAll(async () => {
  database = await openTestDatabase();
  system = await startSystem(database.db);
});

beforeEach(() => {
  world = new MemoryWorld(system);
});

afterAll(async () => {
  await system.close();
  await database.close();
});

/** Root, child and grandchild beside a memory of its own, which must never be touched. */
async function storeChain(): Promise<{ root: Memory; child: Memory; grandchild: Memory }> {
  await world.store("apart");
  const root = await world.store("root");
  const child = await world.derive("child", [root]);
  return { root, child, grandchild: await world.derive("grandchild", [child]) };
}

/** Nothing in the scope contradicts anything else in it. */
async function expectConsistent(): Promise<void> {
  expect(await verifyScope({ db: database.db }, await world.scopeId())).toEqual([]);
}

async function refusalOf(work: Promise<unknown>): Promise<unknown> {
  return await work.then(
    () => "done",
    (error: unknown) => error,
  );
}

describe("deleting many", () => {
  it("takes sources and derived memories in any order, and ends what is derived from them", async () => {
    const { root, child } = await storeChain();
    const request = { ...world.scope, what: { ids: [child.id, root.id] }, dryRun: false, once: undefined };
    const { result } = await system.services.deleteMemories(system.caller, request);
    expect(new Set(result)).toEqual(new Set([child.id, root.id]));
    expect(await world.current()).toEqual(["apart"]);
    await expectConsistent();
  });

  it("takes those that are not eligible by id", async () => {
    const { root, child, grandchild } = await storeChain();
    await world.review(root, "rejected");
    await world.remove(grandchild);
    const request = { ...world.scope, what: { ids: [child.id, root.id] }, once: undefined };
    expect((await system.services.deleteMemories(system.caller, { ...request, dryRun: true })).result).toHaveLength(2);
    expect((await system.services.deleteMemories(system.caller, { ...request, dryRun: false })).result).toHaveLength(2);
    await expectConsistent();
  });
});

describe("at the same time", () => {
  it("rejecting a source and deriving from it never leaves a derived memory to be found", async () => {
    const root = await world.store("root");
    const work = Array.from({ length: 12 }, async (_, index) => {
      if (index === 5) return await world.review(root, "rejected");
      return await world.derive(`derived ${String(index)}`, [root]);
    });
    const settled = await Promise.allSettled(work);
    for (const each of settled) {
      if (each.status === "rejected") expect(each.reason).toMatchObject({ code: "invalid_request" });
    }
    expect(settled[5]).toMatchObject({ status: "fulfilled" });
    expect(await world.current()).toEqual([]);
    await expectConsistent();
  });
});

describe("row level security", () => {
  it("hides the sources of other scopes, and lets none be written there", async () => {
    const { root, child } = await storeChain();
    const other = new MemoryWorld(system);
    await other.store("other");
    const edges = sql`select memory_id from memory_sources`;
    expect(await (await world.db()).run(edges)).toHaveLength(2);
    expect(await (await other.db()).run(edges)).toEqual([]);
    const insert = sql`
      insert into memory_sources (scope_id, memory_id, source_id, source_content_revision)
      values (${await world.scopeId()}::bigint, ${root.id}::uuid, ${child.id}::uuid, 1)`;
    expect(await refusalOf((await other.db()).run(insert))).toMatchObject({ code: "42501" });
  });
});
