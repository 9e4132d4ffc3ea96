import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { startApi, type Api, type SearchBody } from "../support/api.js";
import * as surfaces from "../support/gate-surfaces.js";
import { SURFACES, type GateSurface, type Stored } from "../support/gate-surfaces.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";

/**
 * The scorer leaves out what the gate will drop unless the decisions are asked for, so the floors stand in SQL and in
 * core: what a search finds must not hang on which of them ran.
 */
let database: TestDatabase;
/** Of one data; the configured floor is above every profile's, between them, and below. */
let apis: Api[];
let stored: Stored;
const NOW = new Date("2026-03-01T00:00:00Z");

const QUERY = "red green blue yellow";
const LADDER = [
  ...["red green blue yellow", "red green blue violin", "red green cello violin", "red horn cello violin"],
  ...["harp horn cello violin", "green piano", "blue drum flute piano horn cello", "yellow"],
].map((content, index) => ({ content, source_site: index % 3 === 0 ? "slack" : null }));
/** The most relevant of them: trust counts in the ranking and not in the relevance. */
const DISTRUSTED = { content: "red green blue yellow cello", trust: 0.1 };
/** Its relevance is that of its words alone. */
const LONG = { content: `blue ${Array.from({ length: 200 }, (_, n) => `w${String(n)}`).join(" ")}` };

beforeAll(async () => {
  database = await openTestDatabase();
  const start = async (env: Record<string, string>): Promise<Api> =>
    await startApi({ db: database.db, clock: () => NOW, env });
  apis = [
    await start({ SIMILARITY_THRESHOLD: "0.9" }),
    await start({ SIMILARITY_THRESHOLD: "0.3", RETRIEVAL_PROFILE: "safe" }),
    await start({ SIMILARITY_THRESHOLD: "0.1", RETRIEVAL_PROFILE: "quality" }),
  ];
  stored = await surfaces.storeEverywhere(apis[0]!, [...LADDER, DISTRUSTED, LONG]);
});

afterAll(async () => {
  for (const api of apis) await api.close();
  await database.close();
});

/** By the configured floor, and by one of the request's own. */
const CONFIGURED = [{}, { gate_mode: "strict" }, { gate_mode: "off" }, { gate_mode: "open" }, { source_site: "slack" }];
const OWN = [0, 0.2, 1].flatMap((threshold) => [{ threshold }, { gate_mode: "open", threshold }]);
const QUERIES = [QUERY, "How many red zorka?"];

const withoutTime = (found: SearchBody) => ({ ...found, timing_ms: undefined, filter_decisions: undefined });

async function expectSame(api: Api, surface: GateSurface, body: object): Promise<void> {
  const plain = await surfaces.searchOn(api, surface, stored, body);
  const explained = await surfaces.searchOn(api, surface, stored, { ...body, explain: true });
  expect([body, withoutTime(explained)]).toEqual([body, withoutTime(plain)]);
  expect(explained.filter_decisions).toHaveLength(plain.gate.considered);
}

describe.each(SURFACES)("a search by $name", (surface) => {
  it.each(QUERIES)("200: is the same explained or not, whatever the gate: %s", async (query) => {
    for (const [index, api] of apis.entries()) {
      for (const gate of index === 0 ? [...CONFIGURED, ...OWN] : CONFIGURED) {
        for (const limit of [1, 50]) await expectSame(api, surface, { query, limit, ...gate });
      }
    }
  });

  it("200: opens the gate by a memory that ranks behind the limit", async () => {
    const body = { query: `${QUERY} cello`, gate_mode: "open", threshold: 1, limit: 1 };
    const all = await surfaces.allOn(apis[0]!, surface, stored, body.query);
    expect(all.findIndex(({ content }) => content === DISTRUSTED.content)).toBeGreaterThan(0);
    const { memories, gate } = await surfaces.searchOn(apis[0]!, surface, stored, body);
    expect(memories.map(({ id }) => id)).toEqual([all[0]?.id]);
    expect(memories[0]?.relevance).toBeLessThan(1);
    expect(gate.verdict).toBe("relevant");
  });
});
