import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { z } from "zod";
import type { ExplainReply } from "../../src/routes/schemas/search.js";
import { bodyOf, problemOf, startApi, type Api, type DecisionBody } from "../support/api.js";
import { searchBy } from "../support/search-calls.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";
import { uniqueName } from "../support/unique-name.js";
import { WordEmbedder } from "../support/word-embedder.js";

type ExplainBody = z.output<typeof ExplainReply>;

let database: TestDatabase;
let api: Api;
/** The same data behind a floor of .1, so that the profile's is the higher one. */
let low: Api;
const embedder = new WordEmbedder();
let now = new Date("2026-03-01T00:00:00.000Z");

beforeAll(async () => {
  database = await openTestDatabase();
  const given = { db: database.db, embedder, clock: () => now };
  api = await startApi(given);
  low = await startApi({ ...given, env: { SIMILARITY_THRESHOLD: "0.1" } });
});

afterAll(async () => {
  await Promise.all([api.close(), low.close()]);
  await database.close();
});

const MODES = ["hybrid", "semantic", "lexical"] as const;
const QUERY = "red green blue yellow";

async function explain(memory_id: string, asked: object, on: Api = api): Promise<ExplainBody> {
  return bodyOf<ExplainBody>(await on.request.post("/v1/memories/explain").send({ ...asked, memory_id }), 200);
}

const outcome = ({ decision, stage, reason }: Pick<ExplainBody, "decision" | "stage" | "reason">): string =>
  `${decision} ${stage} ${reason}`;

function scoresOf(decision: DecisionBody): ExplainBody["scores"] {
  const { semantic_similarity, lexical_score, relevance, ranking_score, score } = decision;
  return { semantic_similarity, lexical_score, relevance, ranking_score, score };
}

/** Ids of memories that share 4, 3, 2, 1 and no words with the query. */
async function storeLadder(scope: object): Promise<string[]> {
  const contents = [
    ...["red green blue yellow", "red green blue violin", "red green cello violin"],
    ...["red horn cello violin", "harp horn cello violin"],
  ];
  const ids: string[] = [];
  for (const content of contents) ids.push((await api.store({ ...scope, content })).id);
  return ids;
}

describe("an explanation", () => {
  it.each(MODES)("200: says of each considered memory what the search says, and changes nothing: %s", async (mode) => {
    const user_id = uniqueName("user");
    const ids = await storeLadder({ user_id });
    for (const more of [
      {},
      { limit: 2 },
      { threshold: 0.6 },
      { gate_mode: "strict" },
      { gate_mode: "open", limit: 1 },
    ]) {
      const asked = { user_id, query: QUERY, ...more };
      const found = await searchBy(low, mode, { ...asked, explain: true });
      const decisions = found.filter_decisions ?? [];
      expect(decisions).toHaveLength(mode === "lexical" ? 4 : 5);
      for (const [index, decision] of decisions.entries()) {
        const explained = await explain(decision.id, { ...asked, mode }, low);
        expect(outcome(explained)).toBe(outcome(decision));
        expect(explained).toMatchObject({ memory_id: decision.id, place: index + 1, scores: scoresOf(decision) });
        expect(explained.gate).toEqual(found.gate);
        expect(explained.ranking).toEqual(found.ranking);
        expect(explained.scope).toEqual(found.scope);
      }
      if (mode === "lexical") {
        const silent = await explain(ids[4] ?? "", { ...asked, mode }, low);
        expect(silent).toMatchObject({ stage: "pool", reason: "outside_pool", place: null, gate: found.gate });
        expect(silent.scores).toMatchObject({ lexical_score: null, relevance: 0 });
      }
    }
  });

  it("200: names the stage and the reason of each", async () => {
    const user_id = uniqueName("user");
    const ids = await storeLadder({ user_id });
    const reasons = async (asked: object) =>
      await Promise.all(ids.map(async (id) => outcome(await explain(id, { user_id, query: QUERY, ...asked }, low))));
    const kept = "kept gate meets_threshold";
    expect(await reasons({ limit: 2 })).toEqual([
      ...[kept, kept, "dropped limit over_limit"],
      ...["dropped profile_floor below_profile_floor", "dropped gate below_threshold"],
    ]);
    expect(await reasons({ gate_mode: "off" })).toEqual(ids.map(() => "kept gate gate_off"));
    expect(await reasons({ source_site: "none" })).toEqual(ids.map(() => "dropped filters filtered_out"));
    expect((await reasons({ gate_mode: "open" })).at(-1)).toBe("kept gate opened");
  });

  it.each(MODES)("200: scores what is filtered out, without a part in what the others get: %s", async (mode) => {
    const user_id = uniqueName("user");
    await storeLadder({ user_id });
    const content = "red green blue yellow red";
    const { id } = await api.store({ user_id, content, tags: ["out"], importance: 1 });
    for (const more of [{ filter: { tags: { exists: false } } }, { session_id: "none" }]) {
      const asked = { user_id, query: QUERY, ...more };
      const { filter_decisions: _, ...plain } = await searchBy(api, mode, { ...asked, explain: true });
      const explained = await explain(id, { ...asked, mode });
      expect(outcome(explained)).toBe("dropped filters filtered_out");
      expect(explained).toMatchObject({ place: null, gate: plain.gate });
      const open = await searchBy(api, mode, { user_id, query: QUERY });
      const hit = open.memories.find((each) => each.id === id);
      const { relevance, semantic_similarity } = hit ?? {};
      expect(explained.scores).toMatchObject({ relevance, semantic_similarity });
    }
  });

  it("200: says why a memory that expired, was rejected or lost its source is in no search", async () => {
    const user_id = uniqueName("user");
    const expiring = await api.store({ user_id, content: "red", expires_at: "2026-03-02T00:00:00Z" });
    const rejected = await api.store({ user_id, content: "red green" });
    const [source, other] = [await api.store({ user_id, content: "a" }), await api.store({ user_id, content: "b" })];
    const derive = async (content: string, { id }: { id: string }) =>
      await api.store({ user_id, content, source_memory_ids: [id] });
    const [orphan, shortLived] = [await derive("red blue", source), await derive("red yellow", expiring)];
    const ofRejected = await derive("red horn", other);
    const before = now.toISOString();
    now = new Date("2026-03-02T00:00:00Z");
    bodyOf(await api.request.delete(`/v1/memories/${source.id}`).query({ user_id }), 200);
    for (const { id } of [rejected, other]) {
      bodyOf(await api.request.post(`/v1/memories/${id}/review`).send({ user_id, action: "reject" }), 200);
    }
    for (const mode of MODES) {
      const reasonOf = async ({ id }: { id: string }, more: object = {}) => {
        const explained = await explain(id, { user_id, query: "red", mode, ...more });
        if (explained.stage === "eligibility") expect(explained).toMatchObject({ place: null, scores: null });
        return outcome(explained);
      };
      expect(await reasonOf(expiring)).toBe("dropped eligibility expired");
      expect(await reasonOf(shortLived)).toBe("dropped eligibility expired");
      for (const memory of [rejected, orphan, ofRejected]) {
        expect(await reasonOf(memory)).toBe("dropped eligibility not_eligible");
      }
      for (const memory of [expiring, shortLived, rejected, orphan, ofRejected]) {
        expect(await reasonOf(memory, { as_of: before })).toBe("kept gate gate_bypassed");
      }
      expect(await reasonOf(rejected, { as_of: now.toISOString() })).toBe("dropped eligibility not_eligible");
      const early = { memory_id: rejected.id, as_of: "2026-02-01T00:00:00Z", query: "red", mode, user_id };
      problemOf(await api.request.post("/v1/memories/explain").send(early), "not_found");
    }
  });

  it.each(MODES)("200: scores a memory exactly that is not among the best 200: %s", async (mode) => {
    const user_id = uniqueName("user");
    const memories = Array.from({ length: 230 }, (_, n) => ({
      content: `red ${"green ".repeat(1 + (n % 7))}n${String(n)} ${"horn ".repeat(n % 23)}`.trim(),
      event_at: new Date(now.getTime() - n * 3_600_000).toISOString(),
    }));
    bodyOf(await api.request.post("/v1/memories/batch").send({ user_id, memories }), 200);
    const asked = { user_id, query: "red green", limit: 5 };
    const small = await searchBy(api, mode, { ...asked, explain: true });
    const whole = await searchBy(api, mode, { ...asked, limit: 100, explain: true });
    expect(whole.filter_decisions).toHaveLength(230);
    expect(small.gate.pool_truncated).toBe(true);
    const inside = new Set(small.filter_decisions?.map((each) => each.id));
    const outside = whole.filter_decisions?.filter((each) => !inside.has(each.id)) ?? [];
    expect(outside.length).toBeGreaterThan(mode === "hybrid" ? 0 : 29);
    for (const decision of outside.slice(0, 12)) {
      const explained = await explain(decision.id, { ...asked, mode });
      expect(outcome(explained)).toBe("dropped pool outside_pool");
      expect(explained).toMatchObject({ place: null, gate: small.gate });
      const { semantic_similarity, lexical_score, relevance } = decision;
      expect(explained.scores).toMatchObject({ semantic_similarity, lexical_score, relevance });
    }
    for (const [index, decision] of (small.filter_decisions ?? []).entries()) {
      if (index % 40 !== 0) continue;
      const explained = await explain(decision.id, { ...asked, mode });
      expect(explained).toMatchObject({ place: index + 1, scores: scoresOf(decision), gate: small.gate });
    }
  });

  it("200: takes an id in capitals", async () => {
    const user_id = uniqueName("user");
    const { id } = await api.store({ user_id, content: "red" });
    expect(await explain(id.toUpperCase(), { user_id, query: "red" })).toEqual(
      await explain(id, { user_id, query: "red" }),
    );
  });
});
