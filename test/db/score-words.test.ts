import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { Filters, View } from "../../src/core/scope.js";
import { scoreCandidates } from "../../src/db/queries/score-candidates.js";
import { queryHashes } from "../../src/services/index-content.js";
import { viewOf } from "../../src/services/resolve-scope.js";
import { MemoryWorld, startSystem, type MemorySystem } from "../support/memory-world.js";
import { scoreQueryOf } from "../support/score-query.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";

let database: TestDatabase;
let system: MemorySystem;

beforeAll(async () => {
  database = await openTestDatabase();
  system = await startSystem(database.db);
});

afterAll(async () => {
  await system.close();
  await database.close();
});

interface Doc {
  readonly content: string;
  readonly tags: readonly string[];
}

/** Words that are their own stems. */
const WORDS = "zorka blit kremp dolv fant grunk helm jund lorp mund".split(" ");

/** Contents of 1 to 40 words, common and rare ones, the same at every run. */
function corpus(size: number, seed: number): Doc[] {
  let state = seed;
  const next = (below: number): number => (state = (state * 48_271) % 2_147_483_647) % below;
  return Array.from({ length: size }, (_, index) => ({
    content:
      Array.from({ length: 1 + next(40) }, () => WORDS[Math.min(next(12), next(12), 9)] ?? "mund").join(" ") +
      ` n${String(index)}`,
    tags: next(3) === 0 ? ["red"] : ["blue"],
  }));
}

async function stored(docs: readonly Doc[]): Promise<View> {
  const world = new MemoryWorld(system);
  for (const { content, tags } of docs) await world.store(content, { tags });
  return viewOf({ id: await world.scopeId(), ...world.scope }, system.now);
}

/** BM25 by content, as the scorer has it. */
async function scores(view: View, query: string, filters: Filters = {}): Promise<Map<string, number>> {
  const { hits } = await scoreCandidates(
    database.db.inScope(view.scopeId),
    view,
    scoreQueryOf({
      ...{ vector: null, filters, terms: queryHashes(query), pool: 1_000 },
      wanted: { threshold: null, profileFloor: null, limit: 1_000 },
    }),
  );
  return new Map(hits.map((hit) => [hit.memory?.content ?? "", hit.lexicalScore ?? NaN]));
}

/** BM25 as the books have it, over words between spaces; documents without a term of the query are left out. */
function reference(docs: readonly Doc[], query: string): Map<string, number> {
  const [k1, b] = [1.2, 0.75];
  const texts = docs.map((doc) => doc.content.split(" "));
  const average = texts.reduce((sum, words) => sum + words.length, 0) / texts.length;
  const terms = [...new Set(query.split(" "))];
  const scored = texts.flatMap((words, index) => {
    const parts = terms.map((term) => {
      const frequency = words.filter((word) => word === term).length;
      const held = texts.filter((each) => each.includes(term)).length;
      const idf = Math.log(1 + (texts.length - held + 0.5) / (held + 0.5));
      return (idf * frequency * (k1 + 1)) / (frequency + k1 * (1 - b + (b * words.length) / average));
    });
    const score = parts.reduce((sum, part) => sum + part, 0);
    return score > 0 ? [[docs[index]!.content, score] as const] : [];
  });
  return new Map(scored);
}

function expectSame(found: ReadonlyMap<string, number>, expected: ReadonlyMap<string, number>): void {
  expect([...found.keys()].sort()).toEqual([...expected.keys()].sort());
  for (const [content, score] of expected)
    expect(Math.abs((found.get(content) ?? NaN) - score)).toBeLessThanOrEqual(1e-9);
}

const QUERIES = ["zorka", "zorka zorka blit", "mund fant", "helm zorka blit kremp dolv n7", "nowhere", "nowhere jund"];

describe("BM25 in SQL", () => {
  it("equals the formula to 1e-9, over the scope and over what a filter lets through", async () => {
    const docs = corpus(120, 11);
    const view = await stored(docs);
    for (const query of QUERIES) {
      expectSame(await scores(view, query), reference(docs, query));
      const red = docs.filter((doc) => doc.tags.includes("red"));
      expectSame(await scores(view, query, { tagsAny: ["red"] }), reference(red, query));
    }
  });

  it("is the same to the last bit whatever the order of writing and whatever other scopes hold", async () => {
    const docs = corpus(60, 5);
    const [first, second] = [await stored(docs), await stored([...docs].reverse())];
    await stored(corpus(90, 3));
    for (const query of QUERIES) {
      const [one, other] = [await scores(first, query), await scores(second, query)];
      expect(new Map([...other].sort())).toEqual(new Map([...one].sort()));
    }
  });
});
