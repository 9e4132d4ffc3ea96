import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { startApi, wrongFields, type Api, type SearchBody } from "../support/api.js";
import * as surfaces from "../support/gate-surfaces.js";
import { contentsInOrder, SURFACES, type Stored } from "../support/gate-surfaces.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";

let database: TestDatabase;
let api: Api;
/** The same data behind a floor of .1 and one of .9. */
let low: Api;
let high: Api;
const NOW = new Date("2026-03-01T00:00:00Z");

const QUERY = "red green blue yellow";
/** Memories that share 4, 3, 2, 1 and no words with the query. */
const LADDER = [
  "red green blue yellow",
  "red green blue violin",
  "red green cello violin",
  "red horn cello violin",
  "harp horn cello violin",
];
let ladder: Stored;

beforeAll(async () => {
  database = await openTestDatabase();
  const given = { db: database.db, clock: () => NOW };
  api = await startApi(given);
  low = await startApi({ ...given, env: { SIMILARITY_THRESHOLD: "0.1", ADAPTIVE_SIMPLE_LIMIT: "2" } });
  high = await startApi({ ...given, env: { SIMILARITY_THRESHOLD: "0.9", RETRIEVAL_PROFILE: "safe" } });
  ladder = await surfaces.storeContents(api, ...LADDER);
});

afterAll(async () => {
  await Promise.all([api.close(), low.close(), high.close()]);
  await database.close();
});

describe.each(SURFACES)("the gate of $name", (surface) => {
  const search = async (fields: object, system = api): Promise<SearchBody> =>
    await surfaces.searchOn(system, surface, ladder, { query: QUERY, ...fields });
  const all = async () => await surfaces.allOn(api, surface, ladder, QUERY);
  const reaching = async (threshold: number): Promise<string[]> =>
    (await all()).filter(({ relevance }) => relevance >= threshold).map(({ content }) => content);

  it("200: is described in the reply", async () => {
    const { gate, count, memories } = await search({});
    expect(memories).toHaveLength(count);
    expect(gate).toEqual({
      ...{ threshold: 0.3, source: "config", reason: "direct_query_default", mode: "auto", query_class: "simple" },
      ...{ temporal_state: null, profile_floor: 0.3, limit: 5, considered: surface.embeds ? 5 : 4, kept: count },
      ...{ pool_truncated: false, verdict: "relevant" },
    });
  });

  it("200: keeps what has exactly the relevance of the threshold, and not at the next number above", async () => {
    const considered = await all();
    expect(considered.map(({ content }) => content)).toEqual(LADDER.slice(0, surface.embeds ? 5 : 4));
    for (const { relevance } of considered) {
      const at = await search({ threshold: relevance, limit: 100 });
      expect(at.gate).toMatchObject({ threshold: relevance, source: "request", reason: "caller_threshold" });
      expect(at.memories).toEqual(considered.filter((memory) => memory.relevance >= relevance));
      if (relevance === 0 || relevance === 1) continue;
      const above = await search({ threshold: surfaces.nextAbove(relevance), limit: 100 });
      expect(above.memories).toEqual(considered.filter((memory) => memory.relevance > relevance));
      expect(above.count).toBeLessThan(at.count);
    }
  });

  it("200: a threshold of 1 keeps only what is fully covered", async () => {
    expect(contentsInOrder(await search({ threshold: 1 }))).toEqual([LADDER[0]]);
    const missed = await search({ query: `${QUERY} purple`, threshold: 1 });
    expect(missed.gate).toMatchObject({ kept: 0, verdict: "relevant" });
  });

  it("200: the request's threshold beats a higher and a lower one of the settings, and the profile's floor", async () => {
    for (const threshold of [0, 0.05, 0.2, 0.6]) {
      const expected = await reaching(threshold);
      for (const system of [low, api, high]) {
        const found = await search({ threshold, limit: 100 }, system);
        expect(contentsInOrder(found)).toEqual(expected);
        expect(found.gate).toMatchObject({ threshold, source: "request", profile_floor: null });
      }
    }
  });

  it("200: without one the floor is SIMILARITY_THRESHOLD", async () => {
    expect(contentsInOrder(await search({}))).toEqual(await reaching(0.3));
    expect(contentsInOrder(await search({}, high))).toEqual(await reaching(0.9));
    expect((await search({}, high)).gate).toMatchObject({ threshold: 0.9, source: "config", profile_floor: 0.35 });
    expect((await search({}, low)).gate).toMatchObject({ threshold: 0.1, source: "config", profile_floor: 0.3 });
  });

  it("200: the limit is a ceiling and no target, set by the query's class where it is absent", async () => {
    const relevant = await reaching(0.26);
    expect(relevant).toHaveLength(3);
    const wide = await search({ threshold: 0.26, limit: 50 });
    expect(contentsInOrder(wide)).toEqual(relevant);
    expect(wide).toMatchObject({ count: 3, gate: { limit: 50, kept: 3 } });
    for (const limit of [1, 2, 3]) {
      const found = await search({ threshold: 0, limit });
      expect(found).toMatchObject({ count: limit, gate: { limit, kept: limit } });
      expect(contentsInOrder(found)).toEqual(LADDER.slice(0, limit));
    }
    expect((await search({}, low)).gate).toMatchObject({ limit: 2, kept: 2 });
  });

  const CONFIG = { threshold: 0.3, source: "config" };
  const BYPASS = { threshold: null, source: "bypass", profile_floor: null };
  const OWN = { source: "request", reason: "caller_threshold", profile_floor: null };
  const COUNT = `How many ${QUERY}?`;
  it.each([
    ["auto", QUERY, undefined, { ...CONFIG, reason: "direct_query_default", profile_floor: 0.3 }],
    ["auto", COUNT, undefined, { ...BYPASS, reason: "recall_oriented_aggregation_query", limit: 25 }],
    ["auto", QUERY, 0, { ...OWN, threshold: 0 }],
    ["auto", COUNT, 0.5, { ...OWN, threshold: 0.5 }],
    ["strict", QUERY, undefined, { ...CONFIG, reason: "strict_mode", profile_floor: 0.3 }],
    ["strict", COUNT, undefined, { ...CONFIG, reason: "strict_mode", profile_floor: 0.3, limit: 25 }],
    ["open", QUERY, undefined, { ...CONFIG, reason: "direct_query_default", profile_floor: null }],
    ["open", COUNT, undefined, { ...CONFIG, reason: "direct_query_default", profile_floor: null }],
    ["open", QUERY, 0.5, { ...OWN, threshold: 0.5 }],
    ["off", QUERY, undefined, { ...BYPASS, reason: "gate_off" }],
    ["off", COUNT, undefined, { ...BYPASS, reason: "gate_off" }],
  ])("200: gate_mode %s, query %j, threshold %s", async (gate_mode, query, threshold, expected) => {
    const considered = await surfaces.allOn(api, surface, ladder, query);
    const { gate, memories } = await search({ gate_mode, query, threshold, limit: undefined });
    expect(gate).toMatchObject({ ...expected, mode: gate_mode, kept: memories.length, considered: considered.length });
    const floor = Math.max(expected.threshold ?? 0, expected.profile_floor ?? 0);
    const passing = gate_mode === "open" ? considered : considered.filter(({ relevance }) => relevance >= floor);
    expect(memories).toEqual(passing.slice(0, gate.limit));
  });

  it.each(["strict", "off"])("400: a threshold, 0 included, does not go with gate_mode %s", async (gate_mode) => {
    for (const threshold of [0, 0.3, 1]) {
      const reply = await surfaces.askOn(api, surface, ladder, { query: "x", threshold, gate_mode });
      expect(wrongFields(reply)).toEqual(["threshold"]);
    }
  });

  it("200: open, nothing comes back before one memory reaches the floor", async () => {
    const open = { gate_mode: "open", query: "red purple orange pink" };
    const shut = await search({ ...open, threshold: 0.9 });
    expect(shut.gate).toMatchObject({ kept: 0, mode: "open", threshold: 0.9, source: "request" });
    const best = Math.max(...(await surfaces.allOn(api, surface, ladder, open.query)).map((hit) => hit.relevance));
    const opened = await search({ ...open, threshold: best, limit: 100 });
    expect(opened.count).toBe(surface.embeds ? 5 : 4);
  });
});
