import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { uuidv7 } from "uuidv7";
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
  system.now = new Date("2030-01-01T00:00:00Z");
  world = new MemoryWorld(system);
});

afterAll(async () => {
  await system.close();
  await database.close();
});

const DAY = 86_400_000;
const after = (days: number): Date => new Date(Date.parse("2030-01-01T00:00:00Z") + days * DAY);

/** Root, child and grandchild beside a memory of its own, which must never be touched. */
async function storeChain(): Promise<{ root: Memory; child: Memory; grandchild: Memory }> {
  await world.store("apart");
  const root = await world.store("root", { externalId: "root" });
  const child = await world.derive("child", [root]);
  return { root, child, grandchild: await world.derive("grandchild", [child]) };
}

const ALL = ["apart", "child", "grandchild", "root"];

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

const NO_SOURCE = "is not a current memory of this scope";

describe("a derived memory", () => {
  it("names its sources in order of id, and begins at revision 1 without a review", async () => {
    const [b, a] = [await world.store("b"), await world.store("a")];
    const derived = await world.derive("derived", [a, b]);
    expect(derived).toMatchObject({ revision: 1, review: "none", sourceMemoryIds: [b.id, a.id] });
    expect(b).toMatchObject({ review: "none", sourceMemoryIds: [] });
  });

  it("has an event of its own kind", async () => {
    await storeChain();
    const events = await (await world.db()).run<{ kind: string }>(sql`select kind from change_events order by seq`);
    expect(events.map((event) => event.kind)).toEqual(["created", "created", "derived", "derived"]);
  });

  it("may itself be changed, and keeps its sources", async () => {
    const { root, child } = await storeChain();
    const changed = await world.change(child, { content: "new child" });
    expect(changed).toMatchObject({ revision: 2, sourceMemoryIds: [root.id] });
    expect(await world.current()).toEqual(["apart", "new child", "root"]);
  });

  it("may be 8 levels deep and no deeper", async () => {
    let last = await world.store("level 0");
    for (let level = 1; level <= 8; level++) last = await world.derive(`level ${String(level)}`, [last]);
    expect(await world.current()).toHaveLength(9);
    const shallow = await world.store("shallow");
    expect(await refusalOf(world.derive("level 9", [shallow, last]))).toMatchObject({
      code: "invalid_request",
      more: { errors: [{ path: "source_memory_ids[1]" }] },
    });
    expect(await world.current()).toHaveLength(10);
  });

  it("with an external id keeps its sources when it is posted again, and takes no others", async () => {
    const { root, child } = await storeChain();
    await world.derive("one", [root], { externalId: "x" });
    const again = await world.store("two", { externalId: "x" });
    expect(again).toMatchObject({ revision: 2, sourceMemoryIds: [root.id] });
    expect(await world.derive("three", [root], { externalId: "x" })).toMatchObject({ revision: 3 });
    for (const others of [[child], [root, child]]) {
      expect(await refusalOf(world.derive("four", others, { externalId: "x" }))).toMatchObject({
        code: "invalid_request",
        more: { errors: [{ path: "source_memory_ids" }] },
      });
    }
    expect(await world.current()).toContain("three");
  });
});

describe("a source that is not to be had", () => {
  it("is refused with one text, whatever the reason", async () => {
    const { root } = await storeChain();
    const gone = await world.store("gone");
    await world.remove(gone);
    const rejected = await world.store("rejected");
    await world.review(rejected, "rejected");
    const expired = await world.store("expired", { expiresAt: after(-1) });
    const stale = await world.derive("stale", [await world.store("base", { externalId: "base" })]);
    await world.store("new base", { externalId: "base" });
    const foreign = await new MemoryWorld(system).store("foreign");
    const bad = [gone.id, rejected.id, expired.id, stale.id, foreign.id, uuidv7(), "no id"];
    expect(await refusalOf(world.store("derived", { sourceMemoryIds: [root.id, ...bad] }))).toMatchObject({
      code: "invalid_request",
      more: {
        errors: bad.map((_, index) => ({ path: `source_memory_ids[${String(index + 1)}]`, message: NO_SOURCE })),
      },
    });
  });

  it("is one that the author may not see", async () => {
    const workspace = { project: null, mission: null, userId: null, workspaceId: world.scope.names.userId };
    const alice = new MemoryWorld(system, { names: workspace, agentId: "alice" });
    const secret = await alice.store("secret", { visibility: "agent_only" });
    const shared = await alice.derive("shared", [secret]);
    expect(await refusalOf(alice.as("bob").derive("stolen", [shared, secret]))).toMatchObject({
      more: { errors: [{ path: "source_memory_ids[1]", message: NO_SOURCE }] },
    });
    expect(await alice.as("bob").derive("fair", [shared])).toMatchObject({ sourceMemoryIds: [shared.id] });
  });

  it("refuses a caller that may not read", async () => {
    const { root } = await storeChain();
    const writer = new MemoryWorld(
      { ...system, caller: { ...system.caller, capabilities: new Set(["memory_write"]) } },
      world.scope,
    );
    expect(await writer.store("plain")).toMatchObject({ revision: 1 });
    expect(await refusalOf(writer.derive("derived", [root]))).toMatchObject({ code: "forbidden" });
  });
});

describe("what happens to a source", () => {
  it.each([
    ["its deletion", (root: Memory) => world.remove(root)],
    ["its rejection", (root: Memory) => world.review(root, "rejected")],
  ])("%s takes the derived memories away with it, at any distance", async (_title, end) => {
    const { root } = await storeChain();
    expect(await world.current()).toEqual(ALL);
    await end(root);
    expect(await world.current()).toEqual(["apart"]);
    await expectConsistent();
  });

  it("a new content ends them for good, even when the old one comes back", async () => {
    const { root } = await storeChain();
    await world.change(root, { content: "new root" });
    expect(await world.current()).toEqual(["apart", "new root"]);
    await world.change(root, { content: "root" });
    await world.review(root, "approved");
    expect(await world.current()).toEqual(["apart", "root"]);
    await expectConsistent();
  });

  it("anything else but its content and its expiry leaves them as they are", async () => {
    const { root } = await storeChain();
    await world.change(root, { tags: ["new"], importance: 1, metadata: { a: 1 } });
    await world.review(root, "approved");
    expect(await world.current()).toEqual(ALL);
    await expectConsistent();
  });

  it.each(["approved", "none"] as const)("a rejection that becomes %s brings them back", async (review) => {
    const { root, child } = await storeChain();
    await world.review(root, "rejected");
    await world.review(root, review);
    expect(await world.current()).toEqual(ALL);
    await world.review(child, "rejected");
    await world.review(root, "rejected");
    await world.review(root, review);
    expect(await world.current()).toEqual(["apart", "root"]);
    await expectConsistent();
  });

  it("its expiry is theirs, to the millisecond, and an extension extends them", async () => {
    const { root } = await storeChain();
    await world.change(root, { expiresAt: after(2) });
    system.now = new Date(after(2).getTime() - 1);
    expect(await world.current()).toEqual(ALL);
    system.now = after(2);
    expect(await world.current()).toEqual(["apart"]);
    await world.store("root", { externalId: "root", expiresAt: after(3) });
    expect(await world.current()).toEqual(ALL);
    await world.change(root, { expiresAt: null });
    system.now = after(400);
    expect(await world.current()).toEqual(ALL);
    await expectConsistent();
  });

  it("their own expiry counts where it is the earlier one", async () => {
    const { root, child } = await storeChain();
    await world.change(child, { expiresAt: after(2) });
    await world.change(root, { expiresAt: after(4) });
    system.now = after(3);
    expect(await world.current()).toEqual(["apart", "root"]);
    await expectConsistent();
  });

  it("holds for those derived from an expiring source later", async () => {
    const root = await world.store("root", { expiresAt: after(2) });
    await world.derive("child", [root], { expiresAt: after(5) });
    system.now = after(3);
    expect(await world.current()).toEqual([]);
    await expectConsistent();
  });

  it("in a diamond all sides have to hold", async () => {
    const root = await world.store("root");
    const [left, right] = [await world.derive("left", [root]), await world.derive("right", [root])];
    const bottom = await world.derive("bottom", [left, right, root]);
    await world.derive("below", [bottom]);
    await world.review(left, "rejected");
    expect(await world.current()).toEqual(["right", "root"]);
    await world.review(root, "rejected");
    await world.review(left, "none");
    expect(await world.current()).toEqual([]);
    await world.review(root, "none");
    expect(await world.current()).toEqual(["below", "bottom", "left", "right", "root"]);
    await world.change(right, { content: "new right" });
    expect(await world.current()).toEqual(["left", "new right", "root"]);
    await expectConsistent();
  });

  it("reaches them in one transaction: nobody sees the one without the other", async () => {
    const { root } = await storeChain();
    const seen = new Set<string>();
    const done = new AbortController();
    const watch = (async () => {
      while (!done.signal.aborted) seen.add(JSON.stringify(await world.current()));
    })();
    for (const review of ["rejected", "none", "rejected"] as const) await world.review(root, review);
    done.abort();
    await watch;
    const whole = [JSON.stringify(ALL), JSON.stringify(["apart"])];
    expect([...seen].filter((each) => !whole.includes(each))).toEqual([]);
  });
});
