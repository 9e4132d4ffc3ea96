import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { startApi, wrongFields, type Api, type HitBody } from "../support/api.js";
import { cosine } from "../support/cosine.js";
import * as surfaces from "../support/gate-surfaces.js";
import { contentsInOrder, SURFACES, type GateSurface } from "../support/gate-surfaces.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";
import { WordEmbedder } from "../support/word-embedder.js";

let database: TestDatabase;
let api: Api;
/** So many dimensions that no two words of these tests meet in one. */
const embedder = new WordEmbedder({ dimensions: 1_021 });
let now = new Date("2026-03-01T00:00:00Z");

beforeAll(async () => {
  database = await openTestDatabase();
  api = await startApi({ db: database.db, embedder, clock: () => now });
});

afterAll(async () => {
  await api.close();
  await database.close();
});

const HIT_FIELDS = [
  ...["id", "content", "semantic_similarity", "lexical_score", "relevance", "ranking_score", "score", "similarity"],
  ...["importance", "source_site", "namespace", "tags", "metadata", "revision", "event_at", "created_at"],
];

describe.each(SURFACES)("a search by $name", (surface: GateSurface) => {
  const search = async (stored: surfaces.Stored, fields: object) =>
    await surfaces.searchOn(api, surface, stored, fields);

  it("200: takes no part of a word for the word: malice is not Alice", async () => {
    const contents = ["with malice aforethought", "The shower drips.", "a borderline case"];
    const stored = await surfaces.storeContents(api, ...contents);
    for (const query of ["favorite colour of Alice", "how order", "alice border show"]) {
      for (const more of [{}, { threshold: 0.2 }])
        expect(await search(stored, { query, ...more })).toMatchObject({ count: 0 });
      for (const { content, semantic_similarity, relevance } of await surfaces.allOn(api, surface, stored, query)) {
        expect(semantic_similarity).toBeCloseTo(cosine(embedder.vectorOf(query), embedder.vectorOf(content)), 5);
        expect(relevance).toBe(Math.max(0, semantic_similarity ?? NaN));
      }
    }
  });

  it("200: with source_site finds nothing of another source or of none, however well it matches", async () => {
    const stored = await surfaces.storeEverywhere(api, [
      { content: "Alice likes red", source_site: "gmail.com" },
      { content: "Alice likes red", source_site: null },
      { content: "Alice likes red", source_site: "slack.com" },
      { content: "red horn", source_site: "slack" },
    ]);
    for (const more of [{}, { threshold: 0 }, { gate_mode: "off" }, { limit: 100 }]) {
      const found = await search(stored, { query: "Alice likes red", source_site: "slack", ...more });
      expect(contentsInOrder(found)).toEqual(["red horn"]);
      expect(found.gate.considered).toBe(1);
    }
  });

  it("200: with namespace_scope finds nothing without a namespace, and as many within it as the limit", async () => {
    const outside = Array.from({ length: 30 }, (_, n) => ({
      content: `red ${String(n)}`,
      namespace: n % 2 ? "ab" : null,
    }));
    const inside = Array.from({ length: 4 }, (_, n) => ({ content: `red horn cello ${String(n)}`, namespace: "a/b" }));
    const stored = await surfaces.storeEverywhere(api, [...outside, ...inside]);
    const found = await search(stored, { query: "red", namespace_scope: "a", limit: 3, threshold: 0 });
    expect(found.memories.map(({ namespace }) => namespace)).toEqual(["a/b", "a/b", "a/b"]);
    expect(found.gate.considered).toBe(4);
  });

  it("200: with as_of finds nothing that was stored later, nor of a workspace for a user of its name", async () => {
    const scopes = surfaces.newScopes();
    const before = now.toISOString();
    await api.store({ ...scopes[surface.partition], content: "red horn" });
    now = new Date(now.getTime() + 60_000);
    await api.store({ ...scopes[surface.partition], content: "red green" });
    const twin = { workspace_id: scopes.user.user_id, agent_id: "ada" };
    await api.store({ ...twin, content: "red red", visibility: "agent_only" });
    await api.store({ user_id: scopes.workspace.workspace_id, content: "red red red" });
    const then = await search(scopes, { query: "red green", as_of: before, threshold: 0 });
    expect(contentsInOrder(then)).toEqual(["red horn"]);
    const later = await search(scopes, { query: "red green", as_of: now.toISOString(), threshold: 0 });
    expect(contentsInOrder(later)).toEqual(["red green", "red horn"]);
  });

  it("200: returns nothing beside what the gate kept, and never more than the limit", async () => {
    const event_at = now.toISOString();
    const contents = Array.from({ length: 30 }, (_, n) => `red ${"horn ".repeat(n % 5)}n${String(n)}`);
    const stored = await surfaces.storeEverywhere(
      api,
      contents.map((content) => ({ content, event_at })),
    );
    for (const query of ["red", "How many red?", "Compare red and horn", "timeline of red", "What is currently red?"]) {
      for (const limit of [1, 3, 7]) {
        const { memories, filter_decisions } = await search(stored, { query, limit, explain: true });
        expect(memories.length).toBeLessThanOrEqual(limit);
        const kept = filter_decisions?.filter(({ decision }) => decision === "kept").map(({ id }) => id);
        expect(memories.map(({ id }) => id)).toEqual(kept);
      }
    }
  });

  it("200: shows of a memory the documented fields and no vector", async () => {
    const stored = await surfaces.storeContents(api, "red");
    const { memories } = await search(stored, { query: "red" });
    expect(memories.map((hit: HitBody) => Object.keys(hit).sort())).toEqual([[...HIT_FIELDS].sort()]);
  });

  it("200: lets an exact word pass among many others, and one shared word be enough to be found", async () => {
    const stored = await surfaces.storeContents(api, `${"horn cello drum ".repeat(60)} zorka`, "harp", "piano");
    expect((await search(stored, { query: "zorka" })).memories[0]).toMatchObject({ relevance: 1 });
    const asked = { query: "Where did the zorka of last summer go?", threshold: 0.05 };
    expect((await search(stored, asked)).memories[0]?.content).toContain("zorka");
  });

  it("200: takes a capitalised word for no rival of the query's", async () => {
    const contents = ["Alice drinks oolong tea every day", "alice drinks oolong tea every day", "harp horn cello"];
    const stored = await surfaces.storeContents(api, ...contents);
    const upper = await search(stored, { query: "What does Alice drink?", threshold: 0 });
    const lower = await search(stored, { query: "what does alice drink", threshold: 0 });
    const shown = ({ memories }: typeof upper) =>
      memories.map(({ content, ranking_score }) => [content, ranking_score]);
    expect(shown(upper)).toEqual(shown(lower));
    const [first, second] = upper.memories;
    expect(first?.ranking_score).toBe(second?.ranking_score);
    expect([first?.content, second?.content].sort()).toEqual(contents.slice(0, 2).sort());
  });

  it.each([
    ["limit", "abc"],
    ["limit", -1],
    ["limit", 1e9],
    ["query", "\u0000"],
    ["as_of", "Mon Jan 5"],
    ["threshold", "0"],
    ["event_from", "5"],
    ["offset", -5],
  ])("400: names %s where it is %j", async (field, value) => {
    const body = { query: "red", [field]: value };
    expect(wrongFields(await surfaces.askOn(api, surface, surfaces.newScopes(), body))).toEqual([field]);
  });
});
