import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { bodyOf, startApi, wrongFields, type Api, type MemoryBody } from "../support/api.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";
import { uniqueName } from "../support/unique-name.js";

let database: TestDatabase;
let api: Api;
const user_id = uniqueName("user");

/** One corpus for the whole table: nothing here changes it. */
const CORPUS: Record<string, object> = {
  work: { namespace: "work", tags: ["red"], source_site: "slack", episode_type: "fact" },
  projects: { namespace: "work/projects", tags: ["red", "green"], source_site: "slack.com", session_id: "s1" },
  deep: { namespace: "work/projects/x", tags: ["green"], episode_type: "event", session_id: "S1" },
  workshop: { namespace: "workshop", tags: ["Red", "blue"], external_id: "e-1" },
  percent: { namespace: "w%", tags: ["red green"], external_id: "e-2", session_id: "s1 " },
  underscore: { namespace: "w_rk/a", event_at: "2026-01-01T00:00:00.000Z" },
  early: { event_at: "2025-12-31T23:59:59.999Z", external_id: "e-1", agent_id: "a" },
  late: { event_at: "2026-02-01T00:00:00.000Z", agent_id: "a", tags: ["blue"] },
  other: { event_at: "2026-01-15T00:00:00.000Z", agent_id: "A", episode_type: "Fact" },
};
const IN_2030 = { event_at: "2030-01-01T00:00:00.000Z" };

const ids: Record<string, string> = {};

beforeAll(async () => {
  database = await openTestDatabase();
  api = await startApi({ db: database.db });
  for (const [name, fields] of Object.entries(CORPUS)) {
    ids[name] = (await api.store({ user_id, content: `The one that is ${name}.`, ...IN_2030, ...fields })).id;
  }
  // What the filters must not find: the same fields in another scope.
  await api.store({ user_id, project: "p", content: "x", namespace: "work", tags: ["red"], external_id: "e-1" });
});

afterAll(async () => {
  await api.close();
  await database.close();
});

type Fields = Record<string, string | string[]>;

const CASES: [Fields, string[]][] = [
  [{ namespace_scope: "work" }, ["work", "projects", "deep"]],
  [{ namespace_scope: "work/projects" }, ["projects", "deep"]],
  [{ namespace_scope: "work/pro" }, []],
  [{ namespace_scope: "w%" }, ["percent"]],
  [{ namespace_scope: "w_rk" }, ["underscore"]],
  [{ namespace_scope: "WORK" }, []],
  [{ tags_any: ["red"] }, ["work", "projects"]],
  [{ tags_any: ["red", "green", "none"] }, ["work", "projects", "deep"]],
  [{ tags_any: "blue" }, ["workshop", "late"]],
  [{ tags_all: ["red"] }, ["work", "projects"]],
  [{ tags_all: ["red", "green"] }, ["projects"]],
  [{ tags_all: ["red", "none"] }, []],
  [{ tags_any: ["blue", "red"], tags_all: ["green"] }, ["projects"]],
  [{ source_site: "slack" }, ["work"]],
  [{ session_id: "s1" }, ["projects"]],
  [{ episode_types: ["fact"] }, ["work"]],
  [{ episode_types: ["event", "Fact"] }, ["deep", "other"]],
  [{ external_id: "e-1" }, ["workshop", "early"]],
  [{ external_id: "e-3" }, []],
  [{ event_before: "2026-01-01T00:00:00Z" }, ["early"]],
  [{ event_from: "2026-01-01T00:00:00Z", event_before: "2026-02-01T00:00:00Z" }, ["underscore", "other"]],
  [{ event_from: "2026-02-01T01:00:00+01:00", event_before: "2029-01-01T00:00:00Z" }, ["late"]],
  [{ event_from: "2026-02-01T00:00:00Z", event_before: "2026-02-01T00:00:00Z" }, []],
  [{ namespace_scope: "work", session_id: "s1", tags_any: ["green"] }, ["projects"]],
];

const AGENT_CASES: [Fields, string[]][] = [
  [{ agent_id: "a" }, ["early", "late"]],
  [{ agent_id: "a", external_id: "e-1" }, ["early"]],
  [{ agent_id: "nobody" }, []],
];

function idsOf(names: readonly string[]): string[] {
  return names.map((name) => ids[name] ?? "").sort();
}

describe("the filters", () => {
  it.each([...CASES, ...AGENT_CASES])(
    "200: %j finds the same in a listing, a search and a deletion",
    async (filter, names) => {
      const expected = idsOf(names);
      const list = await api.request.get("/v1/memories").query({ user_id, ...filter });
      const listed = bodyOf<{ memories: MemoryBody[] }>(list, 200).memories;
      expect(listed.map((memory) => memory.id).sort()).toEqual(expected);

      const inBody = { ...filter, ...asLists(filter) };
      const query = { user_id, query: "the one that is", threshold: 0, limit: 100, explain: true };
      for (const route of ["/v1/memories/search", "/v1/memories/search/fast"]) {
        const found = bodyOf<Awaited<ReturnType<Api["search"]>>>(
          await api.request.post(route).send({ ...query, ...inBody }),
          200,
        );
        expect(found.memories.map((memory) => memory.id).sort()).toEqual(expected);
        expect(found.filter_decisions?.map((each) => each.id).sort()).toEqual(expected);
        expect(found.gate.considered).toBe(expected.length);
      }

      const { agent_id, ...flat } = inBody;
      if (Object.keys(flat).length === 0) return;
      const reply = await api.request
        .post("/v1/memories/delete")
        .send({ user_id, ...(agent_id === undefined ? {} : { agent_id }), filter: flat, dry_run: true });
      expect(bodyOf<{ ids: string[] }>(reply, 200).ids.sort()).toEqual(expected);
    },
  );

  it("200: relevance is the same whatever the filter", async () => {
    const query = { user_id, query: "which one is deep", threshold: 0, limit: 100 };
    const relevances = async (filter: object): Promise<Map<string, number>> => {
      const { memories } = await api.search({ ...query, ...filter });
      return new Map(memories.map((memory) => [memory.id, memory.relevance]));
    };
    const all = await relevances({});
    for (const filter of [{ namespace_scope: "work" }, { tags_any: ["green"] }, { session_id: "S1" }, { limit: 1 }]) {
      for (const [id, relevance] of await relevances(filter)) expect(relevance).toBe(all.get(id));
    }
  });

  it("200: a filter that leaves nothing is not an empty store", async () => {
    const { gate } = await api.search({ user_id, query: "deep", session_id: "none" });
    expect(gate).toMatchObject({ considered: 0, kept: 0, verdict: "nothing_relevant" });
  });

  it.each([
    ["namespace_scope", { namespace_scope: "a/" }],
    ["tags_any", { tags_any: [] }],
    ["tags_any[0]", { tags_any: ["\ud800"] }],
    ["tags_all", { tags_all: Array.from({ length: 33 }, String) }],
    ["episode_types[0]", { episode_types: [7] }],
    ["event_from", { event_from: "2026-02-30T00:00:00Z" }],
    ["event_before", { event_before: "2026-02-28" }],
    ["session_id", { session_id: null }],
    ["visibility", { visibility: "workspace" }],
  ])("400: names the filter that is wrong: %s", async (field, filter) => {
    const reply = await api.request.post("/v1/memories/search").send({ user_id, query: "x", ...filter });
    expect(wrongFields(reply)).toEqual([field]);
  });
});

/** In a body a list is always one; in a query string a single value stands for it. */
function asLists(filter: Fields): Fields {
  const lists = Object.entries(filter).filter(([name]) => /^(tags_|episode_types)/.test(name));
  return Object.fromEntries(lists.map(([name, value]) => [name, [value].flat()]));
}
