import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { startApi, type Api } from "../support/api.js";
import * as surfaces from "../support/gate-surfaces.js";
import { contentsInOrder, SURFACES, type Stored } from "../support/gate-surfaces.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";

const FLOORS = { safe: 0.35, balanced: 0.3, quality: 0.25 } as const;
type ProfileName = keyof typeof FLOORS;
const NAMES = ["safe", "balanced", "quality"] as const;

let database: TestDatabase;
/** Behind a configured floor of .1, which is below that of every profile. */
let apis: Record<ProfileName, Api>;
let stored: Stored;

/** All hold `red`, which therefore says nothing; the cosine with `red zorka` is 1/√2 by 1/√(words). */
const CONTENTS = Array.from({ length: 12 }, (_, n) => `red ${"a b c d e f g h i j k ".slice(0, 2 * n)}`.trim());
const QUERY = "red zorka";

beforeAll(async () => {
  database = await openTestDatabase();
  const start = async (profile: ProfileName): Promise<Api> =>
    await startApi({ db: database.db, env: { SIMILARITY_THRESHOLD: "0.1", RETRIEVAL_PROFILE: profile } });
  apis = { safe: await start("safe"), balanced: await start("balanced"), quality: await start("quality") };
  stored = await surfaces.storeContents(apis.balanced, ...CONTENTS);
});

afterAll(async () => {
  for (const api of Object.values(apis)) await api.close();
  await database.close();
});

describe.each(SURFACES)("the floor of a profile in $name", (surface) => {
  const searchWith = async (profile: ProfileName, more: object) =>
    await surfaces.searchOn(apis[profile], surface, stored, { query: QUERY, limit: 100, ...more });

  it.each(NAMES)("200: drops what is less relevant, and names it: %s", async (profile) => {
    const floor = FLOORS[profile];
    const considered = await surfaces.allOn(apis[profile], surface, stored, QUERY);
    const found = await searchWith(profile, { explain: true });
    expect(found).toMatchObject({ ranking: { profile }, gate: { threshold: 0.1, profile_floor: floor } });
    const above = considered.filter(({ relevance }) => relevance >= floor);
    expect(contentsInOrder(found)).toEqual(above.map(({ content }) => content));
    const dropped = found.filter_decisions?.filter(({ stage }) => stage === "profile_floor") ?? [];
    for (const decision of dropped)
      expect(decision).toMatchObject({ decision: "dropped", reason: "below_profile_floor" });
    expect(dropped.map(({ relevance }) => relevance)).toEqual(
      considered.map(({ relevance }) => relevance).filter((relevance) => relevance >= 0.1 && relevance < floor),
    );
    if (surface.embeds) expect(Math.min(above.length, dropped.length)).toBeGreaterThan(0);
  });

  it("200: differs between the profiles", async () => {
    const counts = [];
    for (const profile of NAMES) counts.push((await searchWith(profile, {})).count);
    expect(new Set(counts).size).toBe(surface.embeds ? 3 : 1);
    expect(counts).toEqual([...counts].sort((a, b) => a - b));
  });

  it.each(NAMES)("200: holds for direct queries and in strict mode only: %s", async (profile) => {
    const floorOf = async (more: object) => (await searchWith(profile, more)).gate.profile_floor;
    for (const query of ["How many red?", "Compare red with zorka", "timeline of red", "Do I currently like red?"]) {
      expect(await floorOf({ query })).toBeNull();
      expect(await floorOf({ query, gate_mode: "strict" })).toBe(FLOORS[profile]);
    }
    for (const more of [{ threshold: 0.1 }, { gate_mode: "open" }, { gate_mode: "off" }, { source_site: "slack" }])
      expect(await floorOf(more)).toBeNull();
  });

  it.each(NAMES)("200: spares what reaches the threshold by its words alone: %s", async (profile) => {
    const words = Array.from({ length: 200 }, (_, n) => `w${String(n)}`).join(" ");
    const long = await surfaces.storeContents(apis[profile], `zorka ${words}`, "harp");
    const body = { query: "zorka blit kremp dolv", explain: true };
    const found = await surfaces.searchOn(apis[profile], surface, long, body);
    const [first] = found.memories;
    expect(first?.content).toContain("zorka");
    expect(first?.relevance).toBeGreaterThanOrEqual(0.1);
    expect(first?.relevance).toBeLessThan(0.25);
    expect(found.count).toBe(1);
  });

  it("200: keeps importance and recency from lifting what lies below it", async () => {
    const now = new Date();
    const weak = { content: "red a b c d e f g h i j", importance: 1, event_at: now.toISOString() };
    const strong = { content: "red a", importance: 0, event_at: "2020-01-01T00:00:00Z" };
    const both = await surfaces.storeEverywhere(apis.balanced, [weak, { ...weak, content: "red x y z u v w" }, strong]);
    const found = await surfaces.searchOn(apis.balanced, surface, both, { query: QUERY, gate_mode: "off" });
    expect(found.memories[0]?.content).toBe(strong.content);
  });
});
