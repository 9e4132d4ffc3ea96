import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { bodyOf, startApi, wrongFields, type Api, type DecisionBody, type SearchBody } from "../support/api.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";
import { uniqueName } from "../support/unique-name.js";
import { WordEmbedder } from "../support/word-embedder.js";

let database: TestDatabase;
let api: Api;
/** The same data behind a floor of .1 and one of .9. */
let low: Api;
let high: Api;
const embedder = new WordEmbedder();
const NOW = new Date("2026-03-01T00:00:00Z");

beforeAll(async () => {
  database = await openTestDatabase();
  const given = { db: database.db, embedder, clock: () => NOW };
  api = await startApi(given);
  low = await startApi({ ...given, env: { SIMILARITY_THRESHOLD: "0.1", ADAPTIVE_SIMPLE_LIMIT: "2" } });
  high = await startApi({ ...given, env: { SIMILARITY_THRESHOLD: "0.9", RETRIEVAL_TRACE_ENABLED: "true" } });
});

afterAll(async () => {
  await Promise.all([api.close(), low.close(), high.close()]);
  await database.close();
});

const QUERY = "red green blue yellow";

/** Memories that share 4, 3, 2, 1 and no words with the query. */
async function storeLadder(): Promise<string> {
  const user_id = uniqueName("user");
  const contents = [
    "red green blue yellow",
    "red green blue violin",
    "red green cello violin",
    "red horn cello violin",
  ];
  for (const content of [...contents, "harp horn cello violin"]) await api.store({ user_id, content });
  return user_id;
}

const overlap = (found: SearchBody): number[] =>
  found.memories.map((memory) => memory.content.split(" ").filter((word) => QUERY.includes(word)).length);

const outcome = (each: DecisionBody): string => `${each.decision} ${each.stage} ${each.reason}`;

describe("the gate of a search", () => {
  it("200: is described in the reply", async () => {
    const user_id = await storeLadder();
    const { gate, count } = await api.search({ user_id, query: QUERY });
    expect(gate).toEqual({
      ...{ threshold: 0.3, source: "config", reason: "direct_query_default", mode: "auto", query_class: "simple" },
      ...{ temporal_state: null, profile_floor: 0.3, limit: 5, considered: 5, kept: count },
      ...{ pool_truncated: false, verdict: "relevant" },
    });
  });

  it("200: keeps exactly what reaches the threshold, and shows the value that it compared", async () => {
    const user_id = await storeLadder();
    const all = (await api.search({ user_id, query: QUERY, threshold: 0, limit: 100 })).memories;
    expect(all).toHaveLength(5);
    for (const { relevance } of all) {
      const at = await api.search({ user_id, query: QUERY, threshold: relevance, limit: 100 });
      expect(at.gate).toMatchObject({ threshold: relevance, source: "request", reason: "caller_threshold" });
      expect(at.memories).toEqual(all.filter((memory) => memory.relevance >= relevance));
    }
  });

  it("200: hangs on SIMILARITY_THRESHOLD", async () => {
    const user_id = await storeLadder();
    const query = { user_id, query: QUERY, gate_mode: "open" };
    expect(overlap(await api.search({ user_id, query: QUERY }))).toEqual([4, 3, 2]);
    expect(overlap(await high.search({ user_id, query: QUERY }))).toEqual([4]);
    for (const [system, threshold] of [
      [low, 0.1],
      [api, 0.3],
      [high, 0.9],
    ] as const) {
      expect((await system.search(query)).gate).toMatchObject({ threshold, source: "config" });
    }
  });

  it("200: a threshold of 0 is a floor of 0: what is unrelated or even opposed reaches it", async () => {
    const user_id = uniqueName("user");
    const [word, opposite] = oppositeWords();
    await api.store({ user_id, content: opposite });
    await api.store({ user_id, content: "harp" });
    const { memories, gate } = await api.search({ user_id, query: word, threshold: 0 });
    expect(gate).toMatchObject({ threshold: 0, source: "request", profile_floor: null, verdict: "nothing_relevant" });
    expect(memories).toHaveLength(2);
    const opposed = memories.find((memory) => memory.content === opposite);
    expect(opposed).toMatchObject({ relevance: 0 });
    expect(opposed?.semantic_similarity).toBeCloseTo(-1, 5);
  });

  it("200: a threshold of 1 keeps only what is fully covered", async () => {
    const user_id = await storeLadder();
    const found = await api.search({ user_id, query: QUERY, threshold: 1 });
    expect(overlap(found)).toEqual([4]);
    const missed = await api.search({ user_id, query: `${QUERY} purple`, threshold: 1 });
    expect(missed.gate).toMatchObject({ kept: 0, considered: 5, verdict: "relevant" });
  });

  it("200: the request's threshold beats a higher and a lower one of the settings", async () => {
    const user_id = await storeLadder();
    const query = { user_id, query: QUERY, threshold: 0.6 };
    for (const system of [low, api, high]) expect(overlap(await system.search(query))).toEqual([4, 3]);
  });

  it("200: open, one memory that reaches the floor lets the best others in", async () => {
    const user_id = await storeLadder();
    const query = { user_id, query: QUERY, gate_mode: "open", explain: true };
    const opened = await high.search({ ...query, limit: 3 });
    expect(overlap(opened)).toEqual([4, 3, 2]);
    expect(opened.filter_decisions?.map(outcome)).toEqual([
      ...["kept gate meets_threshold", "kept gate opened", "kept gate opened"],
      ...["dropped limit over_limit", "dropped limit over_limit"],
    ]);
    const closed = await high.search({ ...query, query: "red purple orange pink" });
    expect(closed.gate).toMatchObject({ kept: 0, considered: 5, mode: "open", verdict: "nothing_relevant" });
    const own = await api.search({ ...query, query: "red purple orange pink", threshold: 0.9 });
    expect(own.gate).toMatchObject({ kept: 0, threshold: 0.9, source: "request" });
  });

  it("200: off, nothing is held back but by the limit", async () => {
    const user_id = await storeLadder();
    const found = await high.search({ user_id, query: QUERY, gate_mode: "off", limit: 4 });
    expect(found.gate).toMatchObject({ threshold: null, source: "bypass", reason: "gate_off", profile_floor: null });
    expect(overlap(found)).toEqual([4, 3, 2, 1]);
  });

  it("200: strict, a question for all is held to the floor that it is spared in auto", async () => {
    const user_id = await storeLadder();
    const query = { user_id, query: "how many times red green blue yellow" };
    const auto = await api.search(query);
    expect(auto.gate).toMatchObject({
      ...{ threshold: null, source: "bypass", reason: "recall_oriented_aggregation_query" },
      ...{ query_class: "aggregation", limit: 25, kept: 5 },
    });
    const strict = await api.search({ ...query, gate_mode: "strict" });
    expect(strict.gate).toMatchObject({ threshold: 0.3, source: "config", reason: "strict_mode", profile_floor: 0.3 });
    expect(strict.count).toBeLessThan(5);
  });

  it("400: a threshold does not go with strict or off", async () => {
    for (const gate_mode of ["strict", "off"]) {
      const body = { user_id: "u", query: "x", threshold: 0.5, gate_mode };
      expect(wrongFields(await api.request.post("/v1/memories/search").send(body))).toEqual(["threshold"]);
    }
  });

  it("200: explains every considered memory, kept or dropped, with stage and reason", async () => {
    const user_id = await storeLadder();
    const found = await low.search({ user_id, query: QUERY, limit: 2, explain: true });
    const decisions = found.filter_decisions ?? [];
    expect(decisions.map(outcome)).toEqual([
      ...["kept gate meets_threshold", "kept gate meets_threshold", "dropped limit over_limit"],
      ...["dropped profile_floor below_profile_floor", "dropped gate below_threshold"],
    ]);
    expect(decisions.filter((each) => each.decision === "kept").map((each) => each.id)).toEqual(
      found.memories.map((memory) => memory.id),
    );
    for (const [index, { relevance, ranking_score, semantic_similarity, lexical_score }] of found.memories.entries()) {
      expect(decisions[index]).toMatchObject({ relevance, ranking_score, semantic_similarity, lexical_score });
    }
    expect(decisions.every((each) => each.threshold === 0.1)).toBe(true);
  });

  it("200: a decision discloses source and namespace", async () => {
    const user_id = uniqueName("user");
    await api.store({ user_id, content: "red", source_site: "mail.google.com", namespace: "a/b" });
    const { filter_decisions } = await api.search({ user_id, query: "green", explain: true });
    expect(filter_decisions).toMatchObject([
      { source_site: "mail.google.com", source_kind: "integration", namespace: "a/b", decision: "dropped" },
    ]);
  });

  it("200: shows the decisions only to who asks, unless RETRIEVAL_TRACE_ENABLED", async () => {
    const user_id = await storeLadder();
    expect(await api.search({ user_id, query: QUERY })).not.toHaveProperty("filter_decisions");
    expect((await high.search({ user_id, query: QUERY })).filter_decisions).toHaveLength(5);
  });

  it("200: tells an empty store from one without anything relevant", async () => {
    const user_id = uniqueName("user");
    const query = { user_id, query: "red" };
    const verdict = async (more: object = {}) => (await api.search({ ...query, ...more })).gate.verdict;
    expect(await verdict()).toBe("store_empty");
    const { id } = await api.store({ user_id, content: "harp" });
    expect(await verdict()).toBe("nothing_relevant");
    expect(await verdict({ gate_mode: "off" })).toBe("nothing_relevant");
    bodyOf(await api.request.delete(`/v1/memories/${id}`).query({ user_id }), 200);
    expect(await verdict()).toBe("store_empty");
  });

  it("200: the limit is a ceiling, set by the class of the query where it is absent", async () => {
    const user_id = await storeLadder();
    expect((await low.search({ user_id, query: QUERY })).gate).toMatchObject({ limit: 2, kept: 2 });
    expect((await low.search({ user_id, query: QUERY, limit: 100 })).gate).toMatchObject({ limit: 100, kept: 3 });
    expect((await api.search({ user_id, query: QUERY, limit: 1, threshold: 0 })).gate).toMatchObject({ kept: 1 });
  });

  it("200: a search in one source, or for a state in time, is not held back", async () => {
    const user_id = await storeLadder();
    await api.store({ user_id, content: "harp", source_site: "slack" });
    const inSlack = await api.search({ user_id, query: QUERY, source_site: "slack" });
    expect(inSlack.gate).toMatchObject({ threshold: null, reason: "source_site_filter", kept: 1 });
    expect(inSlack.gate.verdict).toBe("nothing_relevant");
    const now = await api.search({ user_id, query: `what is currently ${QUERY}` });
    expect(now.gate).toMatchObject({ threshold: null, reason: "temporal_state_query", temporal_state: "current" });
  });

  it("200: an explained search is the same search, whatever the gate", async () => {
    const user_id = await storeLadder();
    // The one that opens the gate ranks behind the limit: trust counts in the ranking and not in the relevance.
    await api.store({ user_id, content: "red green blue yellow cello", trust: 0.1 });
    const gates = [{}, { threshold: 0 }, { threshold: 0.99 }, { gate_mode: "strict" }, { gate_mode: "off" }];
    const opening = [0.5, 0.85, 1].map((threshold) => ({ gate_mode: "open", threshold }));
    for (const more of [...gates, ...opening]) {
      for (const limit of [1, 2, 50]) {
        const body = { user_id, query: QUERY, limit, ...more };
        const [plain, explained] = [await api.search(body), await api.search({ ...body, explain: true })];
        expect(explained.filter_decisions).toHaveLength(6);
        expect({ ...plain, timing_ms: 0 }).toEqual({ ...explained, timing_ms: 0, filter_decisions: undefined });
      }
    }
  });

  it("200: fast gives the same gate and the same memories", async () => {
    const user_id = await storeLadder();
    for (const more of [{}, { threshold: 0.6 }, { gate_mode: "open" }, { gate_mode: "off", limit: 2, explain: true }]) {
      const body = { user_id, query: QUERY, ...more };
      const [slow, fast] = [await low.search(body), await low.request.post("/v1/memories/search/fast").send(body)];
      const found = bodyOf<SearchBody>(fast, 200);
      expect(found.gate).toEqual(slow.gate);
      const gated = ({ memories }: SearchBody) => memories.map(({ id, relevance }) => ({ id, relevance }));
      expect(gated(found)).toEqual(gated(slow));
      expect(found.timing_ms.total).toBeGreaterThanOrEqual(found.timing_ms.retrieval);
    }
  });
});

/** Two words whose vectors point in opposite directions. */
function oppositeWords(): [string, string] {
  const word = "word0";
  const vector = embedder.vectorOf(word);
  for (let n = 1; ; n += 1) {
    const other = embedder.vectorOf(`word${String(n)}`);
    if (other.reduce((sum, value, index) => sum + value * (vector[index] ?? 0), 0) < -0.99)
      return [word, `word${String(n)}`];
  }
}
