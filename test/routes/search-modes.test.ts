import { afterAll, afterEach, beforeAll, describe, expect, it } from "@jest/globals";
import { problemOf, startApi, wrongFields, type Api } from "../support/api.js";
import { cosine } from "../support/cosine.js";
import { askBy, consideredBy, contentsOf, searchBy, WAYS } from "../support/search-calls.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";
import { uniqueName } from "../support/unique-name.js";
import { WordEmbedder } from "../support/word-embedder.js";

let database: TestDatabase;
let api: Api;
const embedder = new WordEmbedder();
const NOW = new Date("2026-03-31T00:00:00.000Z");

beforeAll(async () => {
  database = await openTestDatabase();
  api = await startApi({ db: database.db, embedder, clock: () => NOW });
});

afterEach(() => {
  embedder.setDown(false);
});

afterAll(async () => {
  await api.close();
  await database.close();
});

/** A user with these contents. */
async function userWith(...contents: readonly string[]): Promise<string> {
  const user_id = uniqueName("user");
  for (const content of contents) await api.store({ user_id, content });
  return user_id;
}

const WITH_VECTORS = WAYS.filter((way) => way !== "lexical");

describe("a search whose embedding model is down", () => {
  it("200: finds by words what has no vector yet, in the mode lexical", async () => {
    embedder.setDown(true);
    const user_id = uniqueName("user");
    const stored = await api.store({ user_id, content: "The ferry to Korsika leaves at nine." });
    expect(stored.embedding_status).toBe("pending");
    const { memories, gate } = await searchBy(api, "lexical", { user_id, query: "ferry Korsika" });
    expect(memories).toMatchObject([{ id: stored.id, semantic_similarity: null, similarity: null, relevance: 1 }]);
    expect(memories[0]?.lexical_score).toBeGreaterThan(0);
    expect(gate).toMatchObject({ verdict: "relevant", considered: 1 });
  });

  it.each(WITH_VECTORS)("503: does not fall back to words silently: %s", async (way) => {
    const user_id = await userWith("The ferry to Korsika leaves at nine.");
    embedder.setDown(true);
    problemOf(await askBy(api, way, { user_id, query: "ferry" }), "embedding_unavailable");
    problemOf(await askBy(api, way, { user_id: uniqueName("user"), query: "ferry" }), "embedding_unavailable");
  });

  it.each(WITH_VECTORS)(
    "200: finds what is pending beside what is not, by the words that it holds: %s",
    async (way) => {
      const user_id = await userWith("The ferry leaves at nine.");
      embedder.refuses = (text) => text.includes("Korsika");
      const { id } = await api.store({ user_id, content: "Korsika lies south of Nice." });
      const found = await searchBy(api, way, { user_id, query: "Nice", threshold: 0 });
      expect(found.gate.considered).toBe(2);
      expect(found.memories.find((memory) => memory.id === id)).toMatchObject({
        semantic_similarity: null,
        relevance: 1,
      });
    },
  );
});

describe("words find", () => {
  it.each([
    ["some words of a question", "Where did Anna go hiking last summer?", "Anna hikes in the Alps every July."],
    ["another form of an English word", "hikes", "We went hiking."],
    ["the plain form of an English word", "connection", "They connected the two."],
    ["another case and accents in another normal form", "CAFE\u0301", "the café at the corner"],
    ["Japanese inside a sentence", "東京", "昨日東京タワーに行きました。"],
    ["Chinese inside a sentence", "图书馆在哪里", "她每天去图书馆看书"],
    ["Thai inside a sentence", "กรุงเทพ", "ฉันอยู่ที่กรุงเทพมหานคร"],
    ["Korean", "서울", "서울 날씨가 좋다"],
    ["an identifier", "ZX-4471-Q", "The ticket ZX-4471-Q is closed."],
    ["a part of an identifier", "4471", "The ticket ZX-4471-Q is closed."],
    ["an error code", "e-4031", "It failed with E-4031."],
    ["a name with an underscore", "user_id", "The field user_id is required."],
    ["a part of a name with an underscore", "user", "The field user_id is required."],
    ["an e-mail address", "anna.b@example.com", "Write to Anna.B@example.com!"],
    ["the domain of an e-mail address", "example.com", "Write to anna.b@example.com!"],
    ["the host of a URL", "docs.example.org", "See https://docs.example.org/guide/install?step=3"],
    ["a part of a URL", "install", "See https://docs.example.org/guide/install?step=3"],
  ])("200: %s", async (_, query, content) => {
    const user_id = await userWith(content, "An unrelated memory.", "別の話", "เรื่องอื่น");
    const found = await searchBy(api, "lexical", { user_id, query, threshold: 0 });
    expect(contentsOf(found)).toEqual([content]);
    expect((await searchBy(api, "hybrid", { user_id, query, threshold: 0 })).memories[0]).toMatchObject({ content });
  });

  it("200: only what holds one of them, whatever the threshold", async () => {
    const user_id = await userWith("harp violin", "violin cello", "drum");
    for (const more of [{ threshold: 0 }, { gate_mode: "off" }, { gate_mode: "open" }]) {
      const found = await searchBy(api, "lexical", { user_id, query: "harp violin", ...more });
      expect(contentsOf(found)).toEqual(["harp violin", "violin cello"]);
      expect(found.gate).toMatchObject({ considered: 2, pool_truncated: false });
    }
  });

  it("200: function words, where the query has no others", async () => {
    const user_id = await userWith("It is from that.", "harp violin");
    const found = await searchBy(api, "lexical", { user_id, query: "Is it from that?" });
    expect(contentsOf(found)).toEqual(["It is from that."]);
    for (const way of WITH_VECTORS) {
      const first = (await searchBy(api, way, { user_id, query: "Is it from that?" })).memories[0];
      expect(first).toMatchObject({ content: "It is from that.", relevance: 1 });
    }
    const other = await searchBy(api, "lexical", { user_id, query: "Is it the piano?", threshold: 0 });
    expect(other).toMatchObject({ count: 0, gate: { verdict: "nothing_relevant" } });
  });
});

describe.each(WAYS)("the mode %s", (way) => {
  it("200: says store_empty where nothing was ever written", async () => {
    const found = await searchBy(api, way, { user_id: uniqueName("user"), query: "harp", explain: true });
    expect(found).toMatchObject({ count: 0, memories: [], filter_decisions: [] });
    expect(found.gate).toMatchObject({ considered: 0, pool_truncated: false, verdict: "store_empty" });
  });

  it("200: tells what does not match from an empty store", async () => {
    const user_id = await userWith("harp");
    expect((await searchBy(api, way, { user_id, query: "violin" })).gate.verdict).toBe("nothing_relevant");
  });

  it("200: names what found and ordered the memories", async () => {
    const { ranking } = await searchBy(api, way, { user_id: await userWith("harp"), query: "harp" });
    const versions = {
      hybrid: { mode: "hybrid", lexical_version: "bm25_en_v2", fusion_version: "weighted_rrf_v2" },
      semantic: { mode: "semantic", lexical_version: null, fusion_version: null },
      lexical: { mode: "lexical", lexical_version: "bm25_en_v2", fusion_version: null },
      fast: { mode: "semantic", lexical_version: null, fusion_version: null },
    };
    expect(ranking).toEqual({
      profile: "balanced",
      candidate_selection_version: "current_records_v1",
      ...versions[way],
    });
  });

  it("200: takes a query of 4,096 bytes with 800 distinct words", async () => {
    const words = Array.from({ length: 819 }, (_, n) => (46_656 + n).toString(36));
    const query = `${words.join(" ")}xx`;
    expect(Buffer.byteLength(query)).toBe(4_096);
    const user_id = await userWith(words.slice(0, 300).join(" "), "harp", words[7] ?? "");
    const found = await searchBy(api, way, { user_id, query, threshold: 0.2 });
    expect(found.memories.map((memory) => memory.content)).toEqual([words.slice(0, 300).join(" ")]);
  });

  it("200: takes memories and queries without a word", async () => {
    const user_id = await userWith("?!", "…");
    for (const query of ["harp", "?!"]) {
      const found = await searchBy(api, way, { user_id, query, gate_mode: "off", limit: 100 });
      expect(found.count).toBe(way === "lexical" ? 0 : 2);
      expect(found.memories.every((memory) => memory.lexical_score === null)).toBe(true);
    }
    await api.store({ user_id, content: "harp", tags: ["t"] });
    expect((await searchBy(api, way, { user_id, query: "harp" })).memories[0]).toMatchObject({ content: "harp" });
    await api.store({ user_id, content: "!!", tags: ["mute"] });
    const mute = await searchBy(api, way, { user_id, query: "harp", tags_any: ["mute"], gate_mode: "off" });
    expect(mute.count).toBe(way === "lexical" ? 0 : 1);
  });

  it("200: gives the similarity and the BM25 that it has, and null for what it has not", async () => {
    const user_id = await userWith("harp violin", "harp drum horn cello", "drum");
    const scores = new Map((await consideredBy(api, way, { user_id, query: "harp" })).map((each) => [each.id, each]));
    expect(scores.size).toBe(way === "lexical" ? 2 : 3);
    const { memories } = await searchBy(api, way, { user_id, query: "harp", gate_mode: "off" });
    for (const { id, content, ...hit } of memories) {
      const { semantic_similarity, lexical_score, relevance } = hit;
      expect(scores.get(id)).toMatchObject({ semantic_similarity, lexical_score, relevance });
      if (way === "lexical") expect(semantic_similarity).toBeNull();
      else expect(semantic_similarity).toBeCloseTo(cosine(embedder.vectorOf("harp"), embedder.vectorOf(content)), 5);
      const matched = content.includes("harp") && (way === "hybrid" || way === "lexical");
      if (matched) expect(lexical_score).toBeGreaterThan(0);
      else expect(lexical_score).toBeNull();
    }
  });
});

describe("the route by vectors alone", () => {
  it("400: takes no mode", async () => {
    const body = { user_id: "u", query: "harp", mode: "semantic" };
    expect(wrongFields(await api.request.post("/v1/memories/search/fast").send(body))).toEqual(["mode"]);
  });

  it("200: answers as the mode semantic, bit by bit", async () => {
    const user_id = await userWith("harp violin", "harp drum", "violin cello", "horn");
    const body = { user_id, query: "harp cello", threshold: 0.1, limit: 3, explain: true };
    const [{ timing_ms: _, ...fast }, { timing_ms: __, ...semantic }] = [
      await searchBy(api, "fast", body),
      await searchBy(api, "semantic", body),
    ];
    expect(fast).toEqual(semantic);
  });

  it("400: knows no other mode, and takes hybrid for one that is absent", async () => {
    for (const mode of ["fast", "HYBRID", "", null, 1]) {
      const reply = await api.request.post("/v1/memories/search").send({ user_id: "u", query: "harp", mode });
      expect(wrongFields(reply)).toEqual(["mode"]);
    }
    expect((await api.search({ user_id: uniqueName("user"), query: "harp" })).ranking.mode).toBe("hybrid");
  });
});
