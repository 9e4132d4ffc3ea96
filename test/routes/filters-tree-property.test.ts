import { afterAll, beforeAll, expect, it } from "@jest/globals";
import fc from "fast-check";
import { bodyOf, startApi, type Api, type MemoryBody } from "../support/api.js";
import { FilterMemory, FilterNode } from "../support/filter-arbitraries.js";
import { findBy, foundByAll } from "../support/filter-calls.js";
import { meetsFilter } from "../support/filter-reference.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";
import { uniqueName } from "../support/unique-name.js";

let database: TestDatabase;
let api: Api;
let now = Date.parse("2026-03-01T00:00:00.000Z");

beforeAll(async () => {
  database = await openTestDatabase();
  api = await startApi({ db: database.db, clock: () => new Date(now) });
});

afterAll(async () => {
  await api.close();
  await database.close();
});

/** Stores the memories half a minute apart; resolves with all of them as a listing shows them. */
async function store(
  user_id: string,
  memories: readonly { readonly fields: object; readonly approved: boolean }[],
): Promise<MemoryBody[]> {
  for (const [index, { fields, approved }] of memories.entries()) {
    now = Date.parse("2026-03-01T00:00:00.000Z") + index * 30_000;
    const { id } = await api.store({
      user_id,
      ...fields,
      ...(index % 5 === 0 ? { external_id: `Ä${String(index)}` } : {}),
    });
    now += 1_000;
    if (approved) bodyOf(await api.request.post(`/v1/memories/${id}/review`).send({ user_id, action: "approve" }), 200);
  }
  const reply = await api.request.get("/v1/memories").query({ user_id, limit: 200 });
  return bodyOf<{ memories: MemoryBody[] }>(reply, 200).memories;
}

it("listing, searches and a deletion find what the reference evaluator says, for any memories and trees", async () => {
  let some = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(FilterMemory, { minLength: 10, maxLength: 30 }),
      fc.array(FilterNode, { minLength: 120, maxLength: 120 }),
      async (drafts, nodes) => {
        const user_id = uniqueName("user");
        const memories = await store(user_id, drafts);
        expect(memories).toHaveLength(drafts.length);
        const cases = nodes.filter(fitsLimits).map((node) => {
          return { node, ids: memories.filter((memory) => meetsFilter(memory, node)).map(({ id }) => id) };
        });
        for (const { node, ids } of telling(cases, memories.length)) {
          expect({ node, ...(await findBy(api, user_id, node)) }).toEqual({ node, ...foundByAll(ids) });
          if (ids.length > 0 && ids.length < memories.length) some += 1;
        }
      },
    ),
    { numRuns: 8, endOnFailure: true },
  );
  // Else the property says little.
  expect(some).toBeGreaterThan(30);
}, 180_000);

/** Mostly those that some memories meet and some do not. */
function telling<T extends { readonly ids: readonly string[] }>(cases: readonly T[], count: number): T[] {
  const divides = ({ ids }: T): boolean => ids.length > 0 && ids.length < count;
  return [...cases.filter(divides).slice(0, 16), ...cases.filter((each) => !divides(each)).slice(0, 6)];
}

/** 16 icontains, 64 conditions and 8 KiB, counted generously. */
function fitsLimits(node: object): boolean {
  const json = JSON.stringify(node);
  return json.split('"icontains"').length <= 17 && json.split(":").length <= 64;
}
