import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { bodyOf, startApi, type Api, type MemoryBody } from "../support/api.js";
import * as surfaces from "../support/gate-surfaces.js";
import { outcomeOf, SURFACES, type GateSurface } from "../support/gate-surfaces.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";

let database: TestDatabase;
let api: Api;
/** Behind a floor of .1, so that the profile's is above it. */
let low: Api;
/** Shows the decisions unasked. */
let traced: Api;
const NOW = new Date("2026-03-01T00:00:00Z");

beforeAll(async () => {
  database = await openTestDatabase();
  const given = { db: database.db, clock: () => NOW };
  api = await startApi(given);
  low = await startApi({ ...given, env: { SIMILARITY_THRESHOLD: "0.1" } });
  traced = await startApi({ ...given, env: { RETRIEVAL_TRACE_ENABLED: "true" } });
});

afterAll(async () => {
  await Promise.all([api.close(), low.close(), traced.close()]);
  await database.close();
});

const QUERY = "red green blue yellow";
/** All hold one word of the query, so that it says little, beside ever more of other words. */
const FADING = Array.from({ length: 24 }, (_, n) => `red ${"harp ".repeat(n)}${"horn ".repeat(n)}`.trim());
/** The word that nothing holds has nearly all the weight, so that relevance is the cosine: .71 down to .02. */
const RARE = "red zorka";

describe.each(SURFACES)("the decisions of $name", (surface) => {
  it("200: are one for every considered memory, in ranking order, with stage and reason", async () => {
    const stored = await surfaces.storeContents(api, ...FADING);
    const body = { query: RARE, limit: 1, explain: true };
    const { gate, memories, filter_decisions = [] } = await surfaces.searchOn(low, surface, stored, body);
    expect(filter_decisions).toHaveLength(FADING.length);
    expect(gate).toMatchObject({ considered: FADING.length, threshold: 0.1, profile_floor: 0.3 });
    const rankings = filter_decisions.map((each) => each.ranking_score);
    expect(rankings).toEqual([...rankings].sort((a, b) => b - a));
    let kept = 0;
    for (const decision of filter_decisions) {
      expect(decision.threshold).toBe(0.1);
      const expected =
        decision.relevance < 0.1
          ? "dropped gate below_threshold"
          : decision.relevance < 0.3
            ? "dropped profile_floor below_profile_floor"
            : kept < 1
              ? "kept gate meets_threshold"
              : "dropped limit over_limit";
      expect(outcomeOf(decision)).toBe(expected);
      if (decision.decision === "kept") kept += 1;
    }
    expect(new Set(filter_decisions.map(outcomeOf)).size).toBe(surface.embeds ? 4 : 1);
    const said = filter_decisions.filter(({ decision }) => decision === "kept");
    expect(said.map(({ id }) => id)).toEqual(memories.map(({ id }) => id));
    for (const [index, { relevance, ranking_score, semantic_similarity, lexical_score, score }] of memories.entries()) {
      expect(said[index]).toMatchObject({ relevance, ranking_score, semantic_similarity, lexical_score, score });
    }
  });

  it("200: name what a threshold of the request drops, and no other stage", async () => {
    const stored = await surfaces.storeContents(api, ...FADING);
    const considered = await surfaces.allOn(api, surface, stored, QUERY);
    const threshold = considered[12]?.relevance ?? NaN;
    const body = { query: QUERY, threshold, limit: 100, explain: true };
    const { filter_decisions = [], count } = await surfaces.searchOn(low, surface, stored, body);
    expect(filter_decisions.map(outcomeOf)).toEqual(
      considered.map(({ relevance }) =>
        relevance >= threshold ? "kept gate meets_threshold" : "dropped gate below_threshold",
      ),
    );
    expect(count).toBe(considered.filter(({ relevance }) => relevance >= threshold).length);
  });

  it("200: say that a bypass, an open gate or none let it pass", async () => {
    const stored = await surfaces.storeContents(api, "red green", "red horn", "red harp horn cello");
    const outcomes = async (more: object) => {
      const body = { query: "red green", limit: 2, explain: true, ...more };
      return (await surfaces.searchOn(api, surface, stored, body)).filter_decisions?.map(outcomeOf);
    };
    const over = "dropped limit over_limit";
    expect(await outcomes({ query: "Do I currently like red green?" })).toEqual([
      ...["kept gate gate_bypassed", "kept gate gate_bypassed", over],
    ]);
    expect(await outcomes({ gate_mode: "off" })).toEqual(["kept gate gate_off", "kept gate gate_off", over]);
    const open = await outcomes({ gate_mode: "open", threshold: 0.99 });
    expect(open).toEqual(["kept gate meets_threshold", "kept gate opened", over]);
  });

  it("200: disclose source and namespace, and come only where they are asked for or RETRIEVAL_TRACE_ENABLED", async () => {
    const memory = { content: "red horn", source_site: "mail.google.com", namespace: "a/b" };
    const stored = await surfaces.storeEverywhere(api, [memory]);
    const body = { query: "red green blue yellow purple" };
    const expected = [{ source_site: "mail.google.com", source_kind: "integration", namespace: "a/b" }];
    const asked = await surfaces.searchOn(api, surface, stored, { ...body, explain: true });
    expect(asked.filter_decisions).toMatchObject(expected);
    expect(await surfaces.searchOn(api, surface, stored, body)).not.toHaveProperty("filter_decisions");
    const unasked = await surfaces.searchOn(traced, surface, stored, body);
    expect(unasked.filter_decisions).toEqual(asked.filter_decisions);
  });
});

describe.each(SURFACES)("the verdict of $name", (surface) => {
  const BYPASSES = [{}, { threshold: 0 }, { gate_mode: "off" }, { as_of: NOW.toISOString() }, { source_site: "slack" }];

  it("200: is that of the configured floor, also where a bypass returns memories", async () => {
    const memory = { content: "red horn cello violin piano drum", source_site: "slack" };
    const stored = await surfaces.storeEverywhere(api, [memory]);
    for (const more of BYPASSES) {
      const weak = await surfaces.searchOn(api, surface, stored, { query: "red zorka blit kremp", ...more });
      expect(weak).toMatchObject({ count: Object.keys(more).length, gate: { verdict: "nothing_relevant" } });
      const strong = await surfaces.searchOn(api, surface, stored, { query: "red horn", ...more });
      expect(strong).toMatchObject({ count: 1, gate: { verdict: "relevant" } });
    }
    const none = await surfaces.searchOn(api, surface, stored, { query: "red horn cello harp", threshold: 1 });
    expect(none).toMatchObject({ count: 0, gate: { verdict: "relevant" } });
  });

  it("200: tells an empty store, whatever the gate, from one in which nothing is relevant", async () => {
    const empty = surfaces.newScopes();
    const verdicts = async (): Promise<string[]> => {
      const found = [];
      for (const more of BYPASSES)
        found.push((await surfaces.searchOn(api, surface, empty, { query: "red", ...more })).gate.verdict);
      return found;
    };
    expect(new Set(await verdicts())).toEqual(new Set(["store_empty"]));
    const { id } = await api.store({ ...empty[surface.partition], content: "harp", event_at: NOW.toISOString() });
    expect(new Set(await verdicts())).toEqual(new Set(["nothing_relevant"]));
    await remove(surface, empty, id);
    const { gate } = await surfaces.searchOn(api, surface, empty, { query: "red" });
    expect(gate).toMatchObject({ verdict: "store_empty", considered: 0 });
  });
});

async function remove(surface: GateSurface, stored: surfaces.Stored, id: string): Promise<void> {
  bodyOf<MemoryBody>(await api.request.delete(`/v1/memories/${id}`).query(stored[surface.partition]), 200);
}
