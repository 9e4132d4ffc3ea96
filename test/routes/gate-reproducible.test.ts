import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { bodyOf, startApi, type Api, type SearchBody } from "../support/api.js";
import * as surfaces from "../support/gate-surfaces.js";
import { SURFACES, type GateSurface, type ScopeFields, type Stored } from "../support/gate-surfaces.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";
import { until } from "../support/until.js";

let database: TestDatabase;
let api: Api;
const NOW = new Date("2026-03-01T00:00:00Z");

beforeAll(async () => {
  database = await openTestDatabase();
  api = await startApi({ db: database.db, clock: () => NOW });
});

afterAll(async () => {
  await api.close();
  await database.close();
});

const WORDS = "harp violin cello horn drum piano flute".split(" ");
/** Many ties and near-ties, and some memories that are there twice. */
const CORPUS = Array.from({ length: 60 }, (_, n) => {
  const content = WORDS.filter((_, at) => (n * 13 + at * 5) % 7 < 3).join(" ") + "!".repeat(n % 4);
  const event_at = new Date(NOW.getTime() - (n % 4) * 86_400_000).toISOString();
  return { content, importance: (content.length % 3) / 2, trust: content.length % 5 === 0 ? 0.5 : 1, event_at };
});
const QUERIES = ["harp violin", "Which of them is the flute?", "How many drums and horns?"];

/** A fixed permutation of a list; another for every odd step that shares no factor with its length. */
function permuted<T>(items: readonly T[], step: number): T[] {
  return items.map((_, n) => items[(n * step + step) % items.length]!);
}

/** All that a reply says but how long it took and what it repeats of the request. */
async function answers(
  surface: GateSurface,
  stored: Stored,
  more: object = {},
): Promise<Omit<SearchBody, "scope" | "timing_ms">[]> {
  const found = [];
  for (const query of QUERIES) {
    const body = { query, limit: 100, explain: true, ...more };
    const { timing_ms: _, scope: __, ...rest } = await surfaces.searchOn(api, surface, stored, body);
    found.push(rest);
  }
  return found;
}

async function exportOf(scope: ScopeFields): Promise<string> {
  const reply = await fetch(new URL(`/v1/export?${new URLSearchParams(scope).toString()}`, api.url));
  expect(reply.status).toBe(200);
  return await reply.text();
}

/** The lines of an export with its memories, each with its revisions, in another order. */
function inAnotherOrder(text: string, step: number): string {
  const [header = "", ...lines] = text.trimEnd().split("\n");
  const memories: string[][] = [];
  for (const line of lines) {
    if ((JSON.parse(line) as { kind: string }).kind === "memory") memories.push([line]);
    else memories.at(-1)?.push(line);
  }
  return `${[header, ...permuted(memories, step).flat()].join("\n")}\n`;
}

describe.each(SURFACES)("a search by $name", (surface) => {
  it("200: gives the same numbers twice, whatever was searched, read and listed between", async () => {
    const stored = await surfaces.storeEverywhere(api, CORPUS);
    const scope = stored[surface.partition];
    const first = await answers(surface, stored);
    for (const each of first[0]?.memories ?? []) await api.read(each.id, scope);
    for (let n = 0; n < 5; n += 1) await surfaces.searchOn(api, surface, stored, { query: "piano", threshold: 0 });
    bodyOf(await api.request.get("/v1/memories").query(scope), 200);
    expect(await answers(surface, stored)).toEqual(first);
  });

  it("200: gives one order and one set of scores, in whatever order a corpus was written", async () => {
    const ranked = [];
    for (const step of [1, 7, 59]) {
      const stored = await surfaces.storeEverywhere(api, permuted(CORPUS, step));
      const found = await answers(surface, stored, { gate_mode: "off" });
      ranked.push(found.map(({ memories }) => memories.map(({ id: _, ...shown }) => shown)));
    }
    expect(ranked[0]?.[0]?.length).toBeGreaterThan(30);
    expect(ranked[1]).toEqual(ranked[0]);
    expect(ranked[2]).toEqual(ranked[0]);
  });

  it("200: gives one reply, in whatever order a corpus was imported", async () => {
    const text = await exportOf((await surfaces.storeEverywhere(api, CORPUS))[surface.partition]);
    const replies = [];
    for (const step of [1, 7, 59]) {
      const copy = surfaces.newScopes();
      const reply = await api.request
        .post("/v1/import")
        .query(copy[surface.partition])
        .set("Content-Type", "application/x-ndjson")
        .send(inAnotherOrder(text, step));
      bodyOf(reply, 200);
      await embedded(surface, copy);
      replies.push(await answers(surface, copy));
    }
    expect(replies[0]?.[0]?.count).toBeGreaterThan(0);
    expect(replies[1]).toEqual(replies[0]);
    expect(replies[2]).toEqual(replies[0]);
  });
});

/** Waits until all that was imported has its vector. */
async function embedded(surface: GateSurface, stored: Stored): Promise<void> {
  if (!surface.embeds) return;
  await until(async () => {
    const all = await surfaces.allOn(api, surface, stored, "harp");
    return all.length === CORPUS.length && all.every((each) => each.semantic_similarity !== null);
  });
}
