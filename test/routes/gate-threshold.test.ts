import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { startApi, type Api } from "../support/api.js";
import * as surfaces from "../support/gate-surfaces.js";
import { SURFACES } from "../support/gate-surfaces.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";
import { WordEmbedder } from "../support/word-embedder.js";

let database: TestDatabase;
let api: Api;
const embedder = new WordEmbedder();

beforeAll(async () => {
  database = await openTestDatabase();
  api = await startApi({ db: database.db, embedder });
});

afterAll(async () => {
  await api.close();
  await database.close();
});

const QUERY = "red green blue yellow";

describe("a threshold of 0", () => {
  it.each(SURFACES)("200: returns two stored memories that are unrelated to the query: $name", async (surface) => {
    const stored = await surfaces.storeContents(api, "The ferry leaves at nine.", "Anna plays chess.");
    const found = await surfaces.searchOn(api, surface, stored, { query: "budget approved", threshold: 0 });
    expect(found.count).toBe(surface.embeds ? 2 : 0);
    expect(found.gate).toMatchObject({ threshold: 0, source: "request", profile_floor: null });
    expect(found.gate.verdict).toBe("nothing_relevant");
    const shared = await surfaces.searchOn(api, surface, stored, { query: "chess budget approved now", threshold: 0 });
    expect(shared.count).toBe(surface.embeds ? 2 : 1);
  });

  it.each(SURFACES)("200: is reached by what is opposed to the query: $name", async (surface) => {
    const [word, opposite] = oppositeWords();
    const stored = await surfaces.storeContents(api, opposite, "harp");
    const { memories } = await surfaces.searchOn(api, surface, stored, { query: word, threshold: 0 });
    expect(memories).toHaveLength(surface.embeds ? 2 : 0);
    const opposed = memories.find(({ content }) => content === opposite);
    if (surface.embeds) expect(opposed).toMatchObject({ relevance: 0 });
    if (surface.embeds) expect(opposed?.semantic_similarity).toBeCloseTo(-1, 5);
  });
});

describe("all surfaces that embed", () => {
  it("200: make one decision about a memory, by one relevance, at any threshold", async () => {
    const words = [...QUERY.split(" "), ..."harp horn cello violin drum piano".split(" ")];
    const contents = Array.from({ length: 60 }, (_, n) => words.filter((_, at) => (n * 37 + at * at) % 5 < 2));
    const stored = await surfaces.storeContents(api, ...contents.map((each, n) => `${each.join(" ")} n${String(n)}`));
    for (const more of [{ threshold: 0 }, { threshold: 0.25 }, { threshold: 0.5 }, {}, { gate_mode: "strict" }]) {
      const decided = [];
      for (const surface of surfaces.EMBEDDING_SURFACES) {
        const { memories, gate } = await surfaces.searchOn(api, surface, stored, { query: QUERY, limit: 100, ...more });
        decided.push({ gate, kept: memories.map(({ content, relevance }) => [content, relevance]).sort() });
      }
      expect(decided[0]?.kept.length).toBeGreaterThan(0);
      for (const other of decided) expect(other).toEqual(decided[0]);
    }
  });

  it("200: the lexical one too, by the part of the relevance that the words make up", async () => {
    const stored = await surfaces.storeContents(api, QUERY, "red green harp", "harp red violin", "horn", "yellow");
    const [hybrid, , lexical] = SURFACES;
    const full = new Map((await surfaces.allOn(api, hybrid!, stored, QUERY)).map((hit) => [hit.id, hit]));
    const byWords = await surfaces.allOn(api, lexical!, stored, QUERY);
    expect(byWords).toHaveLength(4);
    for (const { id, relevance } of byWords) {
      const cosine = Math.max(0, full.get(id)?.semantic_similarity ?? 0);
      expect(full.get(id)?.relevance).toBe(Math.max(cosine, relevance));
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
