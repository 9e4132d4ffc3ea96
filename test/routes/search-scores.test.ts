import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { bodyOf, startApi, type Api, type HitBody } from "../support/api.js";
import { cosine } from "../support/cosine.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";
import { uniqueName } from "../support/unique-name.js";
import { WordEmbedder } from "../support/word-embedder.js";

let database: TestDatabase;
let api: Api;
const embedder = new WordEmbedder();
const NOW = new Date("2026-03-31T00:00:00.000Z");
const FIFTEEN_DAYS_AGO = "2026-03-16T00:00:00.000Z";

beforeAll(async () => {
  database = await openTestDatabase();
  api = await startApi({ db: database.db, embedder, clock: () => NOW });
});

afterAll(async () => {
  await api.close();
  await database.close();
});

async function only(fields: object, query: string, more: object = {}): Promise<HitBody> {
  const user_id = uniqueName("user");
  await api.store({ user_id, ...fields });
  const { memories } = await api.search({ user_id, query, ...more });
  expect(memories).toHaveLength(1);
  return memories[0]!;
}

const similarity = (query: string, content: string): number =>
  cosine(embedder.vectorOf(query), embedder.vectorOf(content));

const LONG_TEXT = `The order came in a box. ${"Nothing in here says more about it, and so it goes on and on. ".repeat(40)}`;

describe("the scores of a hit", () => {
  it("are four different values where they must be", async () => {
    const content = "The ticket ZX-4471-Q was closed by the support team on a rainy day in spring.";
    const query = "ZX-4471-Q";
    const hit = await only({ content, importance: 1, trust: 0.5, event_at: FIFTEEN_DAYS_AGO }, query);
    const [s, recency] = [similarity(query, content), Math.exp(-0.5)];
    expect(hit.semantic_similarity).toBeCloseTo(s, 5);
    expect(hit.relevance).toBe(1);
    // The first in both channels, so that the fusion is 1; and it holds the query's only identifier.
    expect(hit.ranking_score).toBeCloseTo((s + 0.8 * 1 + 3 * 1 + 0.05 * 1 + 0.05 * recency) * 0.5, 5);
    expect(hit.score).toBeCloseTo((2 * s + 1 + recency + 0.8 * 1) * 0.5, 5);
    const values = [hit.semantic_similarity, hit.relevance, hit.ranking_score, hit.score, hit.lexical_score];
    expect(new Set(values.map((value) => value?.toFixed(3))).size).toBe(5);
    expect(hit).toMatchObject({ similarity: hit.semantic_similarity, importance: 1 });
  });

  it("gives importance and recency no part in what is not relevant", async () => {
    const hit = await only({ content: "harp", importance: 1, event_at: NOW }, "violin", { gate_mode: "off" });
    // The first by meaning only: three quarters of the fusion.
    const s = hit.semantic_similarity ?? NaN;
    expect(hit.ranking_score).toBeCloseTo(s + 0.8 * 0.75, 6);
    expect(hit.score).toBeCloseTo(2 * s + 2 + 0.8 * 0.75, 5);
  });

  it("takes an event in the future for one of now, and one of long ago for one without recency", async () => {
    const future = await only({ content: "harp", event_at: "9999-12-31T00:00:00Z" }, "harp");
    expect(future.ranking_score).toBeCloseTo(1 + 0.8 + 0.025 + 0.05, 5);
    const past = await only({ content: "harp", event_at: "0001-01-01T00:00:00Z" }, "harp");
    expect(past.ranking_score).toBeCloseTo(1 + 0.8 + 0.025, 5);
  });

  it.each(["ZX-4471-Q", "zx-4471-q", "ZX‑4471‑Q", "What is ZX-4471-Q?"])(
    "let a long memory that holds an exact identifier pass the gate: %s",
    async (query) => {
      const hit = await only({ content: `${LONG_TEXT} Its number is ZX-4471-Q. ${LONG_TEXT}` }, query);
      expect(hit.semantic_similarity).toBeLessThan(0.3);
      expect(hit.relevance).toBeGreaterThanOrEqual(0.3);
    },
  );

  it("do not let another identifier pass", async () => {
    const user_id = uniqueName("user");
    await api.store({ user_id, content: `${LONG_TEXT} Its number is ZX-4472-R. ${LONG_TEXT}` });
    expect((await api.search({ user_id, query: "4471" })).count).toBe(0);
  });

  it("are those of the query's own space, whatever the length of the content", async () => {
    const hit = await only({ content: LONG_TEXT }, "the order came in a box", { threshold: 0 });
    expect(hit.semantic_similarity).toBeCloseTo(similarity("the order came in a box", LONG_TEXT), 5);
  });
});

describe("the order of hits", () => {
  it("is that of ranking_score, in which trust counts and score does not", async () => {
    const user_id = uniqueName("user");
    const event_at = FIFTEEN_DAYS_AGO;
    const contents = ["harp violin cello", "harp violin horn", "harp drum horn"];
    for (const [index, content] of contents.entries()) {
      await api.store({ user_id, content, event_at, trust: index === 0 ? 0.1 : 1, importance: index / 2 });
    }
    const { memories } = await api.search({ user_id, query: "harp violin cello", threshold: 0 });
    const scores = memories.map((memory) => memory.ranking_score);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
    expect(memories.map((memory) => memory.content)).toEqual([contents[1], contents[2], contents[0]]);
  });

  it("breaks a near-tie by importance and recency, and never lifts a weak match over a strong one", async () => {
    const user_id = uniqueName("user");
    await api.store({ user_id, content: "harp violin", importance: 0, event_at: "2020-01-01T00:00:00Z" });
    await api.store({ user_id, content: "violin harp", importance: 1, event_at: NOW });
    await api.store({ user_id, content: "harp drum horn", importance: 1, event_at: NOW });
    const { memories } = await api.search({ user_id, query: "harp violin", threshold: 0 });
    expect(memories.map((memory) => memory.content)).toEqual(["violin harp", "harp violin", "harp drum horn"]);
  });

  it.each(["hybrid", "lexical"] as const)(
    "has what holds an identifier first, however long it is: %s",
    async (mode) => {
      const user_id = uniqueName("user");
      const alike = Array.from({ length: 240 }, (_, n) => ({
        content: `ticket ZX-4471-R Q ${String(n)}`,
        importance: 1,
      }));
      const others = Array.from({ length: 250 }, (_, n) => ({ content: `harp ${String(n)}` }));
      const memories = [{ content: `${LONG_TEXT} ZX-4471-Q ${LONG_TEXT}`, importance: 0 }, ...alike, ...others];
      bodyOf(await api.request.post("/v1/memories/batch").send({ user_id, memories }), 200);
      for (const query of ["ZX-4471-Q", "When was the ticket zx-4471-q closed?"]) {
        const found = await api.search({ user_id, query, mode, threshold: 0, limit: 5 });
        expect(found.gate.pool_truncated).toBe(true);
        expect(found.memories[0]?.content).toContain("ZX-4471-Q");
      }
      await api.store({ user_id, content: "E-4031" });
      const both = await api.search({ user_id, query: "E-4031 or ZX-4471-Q", mode, threshold: 0 });
      const first = both.memories.slice(0, 2).map(({ content }) => content.slice(0, 6));
      expect(first.sort()).toEqual(["E-4031", LONG_TEXT.slice(0, 6)]);
    },
  );

  it("of equal contents is that of their ids", async () => {
    const user_id = uniqueName("user");
    const memories = Array.from({ length: 8 }, () => ({ content: "harp", event_at: FIFTEEN_DAYS_AGO }));
    bodyOf(await api.request.post("/v1/memories/batch").send({ user_id, memories }), 200);
    const ids = (await api.search({ user_id, query: "harp", limit: 100 })).memories.map((memory) => memory.id);
    expect(ids).toHaveLength(8);
    expect(ids).toEqual([...ids].sort());
  });
});

describe("the pool", () => {
  it("200: holds the best 200 by cosine and by words, or ten for each hit asked for, and says when there are more", async () => {
    const user_id = uniqueName("user");
    const memories = Array.from({ length: 210 }, (_, n) => ({ content: `harp number ${String(n)}` }));
    bodyOf(await api.request.post("/v1/memories/batch").send({ user_id, memories }), 200);
    const query = { user_id, query: "harp number 7", explain: true };
    const small = await api.search(query);
    const { considered, pool_truncated } = small.gate;
    expect(pool_truncated).toBe(true);
    // Most of the best by cosine are among the best by words too.
    expect(considered).toBeGreaterThanOrEqual(200);
    expect(considered).toBeLessThan(210);
    expect(small.memories[0]?.content).toBe("harp number 7");
    expect(small.filter_decisions).toHaveLength(considered);
    const whole = await api.search({ ...query, limit: 21 });
    expect(whole.gate).toMatchObject({ considered: 210, pool_truncated: false });
    expect(whole.memories.slice(0, small.count)).toEqual(small.memories);
  });
});
