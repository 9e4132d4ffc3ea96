import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { bodyOf, startApi, type Api } from "../support/api.js";
import { cosine } from "../support/cosine.js";
import { consideredBy, searchBy } from "../support/search-calls.js";
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

afterAll(async () => {
  await api.close();
  await database.close();
});

describe("a hybrid search", () => {
  it("200: gives each hit its true cosine and its BM25, whichever channel found it", async () => {
    const user_id = uniqueName("user");
    const query = "the harp ZX-4471-Q";
    const byWords = `ZX-4471-Q ${Array.from({ length: 60 }, (_, n) => `other${String(n)}`).join(" ")}`;
    const byMeaning = "the the harp";
    const rest = Array.from({ length: 230 }, (_, n) => `harp harp n${String(n)}`);
    const memories = [byWords, byMeaning, ...rest].map((content) => ({ content, event_at: NOW.toISOString() }));
    bodyOf(await api.request.post("/v1/memories/batch").send({ user_id, memories }), 200);
    const [hybrid, semantic, lexical] = [
      await consideredBy(api, "hybrid", { user_id, query, limit: 5 }),
      await consideredBy(api, "semantic", { user_id, query, limit: 5 }),
      await consideredBy(api, "lexical", { user_id, query, limit: 5 }),
    ];
    const idOf = async (content: string): Promise<string> => {
      const { memories: all } = await searchBy(api, "lexical", { user_id, query, threshold: 0, limit: 100 });
      const found = await searchBy(api, "fast", { user_id, query, threshold: 0, limit: 100 });
      return [...all, ...found.memories].find((memory) => memory.content === content)?.id ?? "";
    };
    const [words, meaning] = [await idOf(byWords), await idOf(byMeaning)];
    const idsOf = (decisions: readonly { readonly id: string }[]) => decisions.map((each) => each.id);
    expect(idsOf(semantic)).not.toContain(words);
    expect(idsOf(lexical)).not.toContain(meaning);
    expect([semantic.length, lexical.length]).toEqual([200, 200]);
    const [allBySemantic, allByLexical] = [
      await consideredBy(api, "semantic", { user_id, query, limit: 100 }),
      await consideredBy(api, "lexical", { user_id, query, limit: 100 }),
    ];
    for (const id of [words, meaning]) {
      const hit = hybrid.find((each) => each.id === id);
      expect(hit?.semantic_similarity).toBe(allBySemantic.find((each) => each.id === id)?.semantic_similarity);
      expect(hit?.lexical_score).toBe(allByLexical.find((each) => each.id === id)?.lexical_score);
      expect(hit?.lexical_score).toBeGreaterThan(0);
      const content = id === words ? byWords : byMeaning;
      const expected = cosine(embedder.vectorOf(query), embedder.vectorOf(content));
      expect(hit?.semantic_similarity).toBeCloseTo(expected, 5);
    }
    expect(new Set(idsOf(hybrid))).toEqual(new Set([...idsOf(semantic), ...idsOf(lexical)]));
  });

  it("200: gives a memory the same relevance as every other way, under every filter, limit and co-match", async () => {
    const user_id = uniqueName("user");
    const contents = [
      "harp violin cello",
      "harp violin",
      "harp",
      "drum horn",
      "violin",
      "the ZX-4471-Q harp",
      "cello!",
    ];
    for (const [n, content] of contents.entries()) {
      const more = { tags: [n % 2 === 0 ? "even" : "odd"], namespace: `n${String(n % 3)}`, metadata: { n } };
      await api.store({ user_id, content, ...more });
    }
    const query = { user_id, query: "harp cello ZX-4471-Q" };
    const all = await consideredBy(api, "hybrid", query);
    const relevance = new Map(all.map((each) => [each.id, each.relevance]));
    expect(relevance.size).toBe(contents.length);
    const narrower: object[] = [
      ...[{}, { limit: 1 }, { limit: 3 }, { threshold: 0.2 }, { tags_any: ["odd"] }, { namespace_scope: "n1" }],
      ...[
        { filter: { "metadata.n": { gte: 5 } } },
        { filter: { content: { contains: "ZX" } } },
        { tags_all: ["even"] },
      ],
    ];
    for (const way of ["hybrid", "semantic", "fast"] as const) {
      for (const more of narrower) {
        const found = await consideredBy(api, way, { ...query, ...more });
        expect(found.length).toBeGreaterThan(0);
        for (const each of found) expect(each.relevance).toBe(relevance.get(each.id));
      }
    }
  });

  it("200: counts BM25 by what the filters let through", async () => {
    const [one, other] = [uniqueName("user"), uniqueName("user")];
    for (const content of ["harp violin", "harp harp drum", "cello"]) {
      await api.store({ user_id: one, content, tags: ["t"] });
      await api.store({ user_id: other, content });
    }
    await api.store({ user_id: one, content: "harp violin piano drum horn" });
    const scored = async (user_id: string, more: object = {}) => {
      const { memories } = await searchBy(api, "hybrid", { user_id, query: "harp cello", gate_mode: "off", ...more });
      return memories.map(({ content, lexical_score }) => [content, lexical_score]).sort();
    };
    expect(await scored(one, { tags_any: ["t"] })).toEqual(await scored(other));
  });
});
