import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { verifyScope } from "../../src/services/verify.js";
import { PastWorld, startPastSystem, type PastSystem } from "../support/past-world.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";

let database: TestDatabase;
let system: PastSystem;
let world: PastWorld;

beforeAll(async () => {
  database = await openTestDatabase();
  system = await startPastSystem(database.db);
});

beforeEach(() => {
  world = new PastWorld(system);
});

afterAll(async () => {
  await system.close();
  await database.close();
});

describe("what was recorded at a time", () => {
  it("is there although it was deleted since, with its words and its vector, and not before it was stored", async () => {
    const before = world.tick();
    const memory = await world.ada.store("the blue door", { tags: ["door"] });
    const [shown] = await world.see({ words: "blue doors" });
    const stored = world.tick();
    await world.ada.remove(memory);
    const deleted = system.now;
    world.tick();
    expect(await world.see({ at: stored, words: "blue doors" })).toEqual([shown]);
    expect(shown).toMatchObject({
      id: memory.id,
      vector: expect.any(String),
      held: [
        [1, 1, 3],
        [2, 1, 3],
      ],
    });
    expect([await world.idsAt(before), await world.idsAt(deleted)]).toEqual([[], []]);
  });

  it("has the content, revision, tags and external id of then, although it was patched since", async () => {
    const memory = await world.ada.store("tea at four", { tags: ["tea"], externalId: "x" });
    const [shown] = await world.see({ words: "four" });
    const then = world.tick();
    await world.ada.change(memory, { content: "coffee at five", tags: ["coffee"], externalId: "y", importance: 1 });
    expect(await world.see({ words: "four" })).toMatchObject([{ held: [] }]);
    expect(await world.see({ at: then, words: "four" })).toEqual([shown]);
    const matching = async (filters: object): Promise<number> => (await world.see({ at: then, filters })).length;
    expect(await matching({ tagsAny: ["tea", "x"], tagsAll: ["tea"], externalId: "x" })).toBe(1);
    expect([await matching({ tagsAny: ["coffee"] }), await matching({ externalId: "y" })]).toEqual([0, 0]);
  });

  it("is there although it was rejected since, and not while it was", async () => {
    const memory = await world.ada.store("a claim");
    const derived = await world.ada.derive("a conclusion", [memory]);
    const then = world.tick();
    await world.ada.review(memory, "rejected");
    const rejected = world.tick();
    await world.ada.review(memory, "none");
    const restored = world.tick();
    await world.ada.remove(memory);
    const both = [memory.id, derived.id];
    expect([await world.idsAt(then), await world.idsAt(rejected), await world.idsAt(restored)]).toEqual([
      both,
      [],
      both,
    ]);
    expect(await world.idsAt(system.now)).toEqual([]);
  });

  it("was derived from what held then, whatever became of the source, and is out where it did not hold", async () => {
    const source = await world.ada.store("the harbour closes");
    const derived = await world.ada.derive("no ships", [source]);
    const far = await world.ada.derive("no fish", [derived]);
    const then = world.tick();
    await world.ada.change(source, { content: "the harbour is open" });
    const changed = world.tick();
    await world.ada.remove(source);
    expect(await world.idsAt(then)).toEqual([source.id, derived.id, far.id]);
    expect(await world.idsAt(changed)).toEqual([source.id]);
  });

  it("had expired by then or not, by its own time of then or that of a source", async () => {
    const ends = new Date(system.now.getTime() + 1_500);
    const source = await world.ada.store("until noon", { expiresAt: ends });
    const derived = await world.ada.derive("so be there", [source]);
    const then = world.tick();
    const still = world.tick();
    const over = world.tick();
    await world.ada.remove(derived);
    expect([await world.idsAt(then), await world.idsAt(still), await world.idsAt(over)]).toEqual([
      [source.id, derived.id],
      [source.id, derived.id],
      [],
    ]);
    const { valid_until } = (await world.see({ at: then }))[1]!.columns as { valid_until: string };
    expect(new Date(valid_until)).toEqual(ends);
  });

  it("ends with the first of all that it was derived from, over every way", async () => {
    const later = (seconds: number): Date => new Date(system.now.getTime() + seconds * 1_000);
    const ends = [later(9), later(3), later(6)];
    const derived = [];
    for (const expiresAt of ends) {
      const source = await world.ada.store("a source", { expiresAt });
      derived.push(await world.ada.derive("between", [source]));
    }
    const last = await world.ada.derive("of all three", derived);
    const far = await world.ada.derive("one more", [last]);
    const then = world.tick();
    await world.ada.remove(far);
    const shown = (await world.see({ at: then })).slice(-2);
    expect(shown.map(({ id, columns }) => [id, new Date((columns as { valid_until: string }).valid_until)])).toEqual([
      [last.id, ends[1]],
      [far.id, ends[1]],
    ]);
  });

  it("has its vector also where that was made later", async () => {
    system.bench.embedder.setDown(true);
    const memory = await world.ada.store("late words");
    system.bench.embedder.setDown(false);
    const then = world.tick();
    expect(await world.see()).toMatchObject([{ vector: null }]);
    await world.embed();
    const [now] = await world.see();
    expect(await world.see({ at: then })).toEqual([now]);
    await world.ada.remove(memory);
    expect((await world.see({ at: then }))[0]!.vector).toBe(now!.vector);
  });

  it("is gone once it is erased, and so is what was derived from it", async () => {
    const source = await world.ada.store("secret words");
    await world.ada.derive("derived words", [source]);
    const other = await world.ada.store("other words");
    const then = world.tick();
    await world.erase(source.id);
    expect(await world.see({ at: then, words: "words secret" })).toMatchObject([{ id: other.id }]);
  });
});

describe("the past of a workspace", () => {
  it("hides what was private then, and what has been made private since, deleted or not", async () => {
    const [bob, once] = [world.ada.as("bob"), { visibility: "agent_only" as const }];
    const shared = await world.ada.store("first private", once);
    const hidden = await world.ada.store("first shared");
    const gone = await world.ada.store("shared, private, deleted");
    const open = await bob.store("bob's own");
    const then = world.tick();
    await world.ada.change(shared, { visibility: "workspace" });
    await world.ada.change(hidden, once);
    await world.ada.change(gone, once);
    await world.ada.remove(gone);
    expect(await world.idsAt(then, "bob")).toEqual([open.id]);
    expect(await world.idsAt(then, "ada")).toEqual([shared.id, hidden.id, gone.id, open.id]);
    expect(await world.idsAt(system.now, "bob")).toEqual([shared.id, open.id]);
  });

  it("is seen by whom its author grants it now", async () => {
    const memory = await world.ada.store("restricted", { visibility: "restricted" });
    const then = world.tick();
    expect(await world.idsAt(then, "bob")).toEqual([]);
    await world.grant(memory.id, "bob");
    expect(await world.idsAt(then, "bob")).toEqual([memory.id]);
    await world.grant(memory.id, "bob", false);
    expect(await world.idsAt(then, "bob")).toEqual([]);
  });
});

it("an imported history has its past, contents that never were live here included", async () => {
  const kept = await world.ada.store("one two");
  const gone = await world.ada.store("three four");
  const then = world.tick();
  await world.ada.change(kept, { content: "one two three" });
  await world.ada.remove(gone);
  const shown = await world.see({ at: then, words: "one three" });
  const copy = new PastWorld(system);
  await world.importInto(copy);
  expect(await verifyScope({ db: database.db }, await copy.ada.scopeId())).toEqual([]);
  const told = (rows: typeof shown): unknown => rows.map(({ id, held }) => ({ id, held }));
  expect(told(await copy.see({ at: then, words: "one three" }))).toEqual(told(shown));
});
