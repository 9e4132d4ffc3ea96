import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { bodyOf, startApi, wrongFields, type Api, type HitBody } from "../support/api.js";
import { askBy, consideredBy, searchBy, WAYS } from "../support/search-calls.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";
import { uniqueName } from "../support/unique-name.js";

let database: TestDatabase;
let api: Api;
let now: Date;

const day = (n: number): string => new Date(Date.UTC(2026, 0, n)).toISOString();
/** What is asked about; all memories but one were written the day before, and changed the day after. */
const AS_OF = day(10);

/** The caller in each kind of scope, and who else writes there. */
const SCOPES: Readonly<Record<string, { caller: Record<string, string>; other: Record<string, string> }>> = {
  user: scopeOf({ user_id: uniqueName("user") }, {}),
  workspace: scopeOf({ workspace_id: uniqueName("workspace") }, { agent_id: "other" }),
};

function scopeOf(scope: Record<string, string>, other: Record<string, string>) {
  return { caller: "workspace_id" in scope ? { ...scope, agent_id: "me" } : scope, other: { ...scope, ...other } };
}

/** Ids by name, of each scope. */
const ids: Record<string, Record<string, string>> = {};

const OLD = {
  ...{ content: "harp at the old house", tags: ["old"], namespace: "home/old", source_site: "old.example" },
  ...{ metadata: { stage: "old", size: 1 }, session_id: "s-old", episode_type: "old", external_id: "e-old" },
};
const NEW = {
  ...{ content: "drum in the new flat", tags: ["new"], namespace: "home/new", source_site: "new.example" },
  ...{ metadata: { stage: "new", size: 2 }, session_id: "s-new", episode_type: "new", external_id: "e-new" },
};

/** Those that are there at `AS_OF`. */
const THERE = ["kept", "patched", "deleted", "rejected", "expires_later"];

beforeAll(async () => {
  database = await openTestDatabase();
  api = await startApi({ db: database.db, clock: () => now });
  for (const [name, { caller, other }] of Object.entries(SCOPES)) ids[name] = await writeHistory(caller, other);
});

afterAll(async () => {
  await api.close();
  await database.close();
});

async function writeHistory(caller: object, other: object): Promise<Record<string, string>> {
  const inWorkspace = "workspace_id" in other;
  const store = async (content: string, fields: object = {}) =>
    (await api.store({ ...caller, content, event_at: day(1), ...fields })).id;
  now = new Date(day(9));
  const stored = {
    kept: await store("harp that was kept"),
    patched: await store(OLD.content, OLD),
    deleted: await store("harp that was deleted"),
    rejected: await store("harp that was rejected"),
    expires_then: await store("harp that expired", { expires_at: AS_OF }),
    expires_later: await store("harp that expires later", { expires_at: day(11) }),
    erased: await store("harp that was erased"),
    ...(inWorkspace ? { hidden: await store("harp that was hidden", { ...other, visibility: "workspace" }) } : {}),
    ...(inWorkspace ? { private: await store("harp that was private", { ...other, visibility: "agent_only" }) } : {}),
  };
  now = new Date(day(11));
  const path = (id: string): string => `/v1/memories/${id}`;
  bodyOf(await api.request.patch(path(stored.patched)).send({ ...caller, ...NEW }), 200);
  bodyOf(await api.request.delete(path(stored.deleted)).query(caller), 200);
  const rejection = { ...caller, action: "reject" };
  bodyOf(await api.request.post(`${path(stored.rejected)}/review`).send(rejection), 200);
  const erasure = { ...caller, target: { memory_id: stored.erased } };
  bodyOf(await api.request.post("/v1/erase").send(erasure), 200);
  for (const [name, visibility] of [
    ["hidden", "agent_only"],
    ["private", "workspace"],
  ] as const) {
    const id = (stored as Record<string, string>)[name];
    if (id !== undefined) bodyOf(await api.request.patch(path(id)).send({ ...other, visibility }), 200);
  }
  now = new Date(day(12));
  return { ...stored, later: await store("harp that came later") };
}

describe.each(WAYS.flatMap((way) => Object.keys(SCOPES).map((scope) => ({ way, scope }))))(
  "as_of in the search $way of a $scope",
  ({ way, scope }) => {
    const asked = (more: object = {}) => ({ ...SCOPES[scope]?.caller, query: "harp", as_of: AS_OF, ...more });
    const nameOf = (id: string): string => Object.entries(ids[scope] ?? {}).find(([, each]) => each === id)?.[0] ?? id;
    const namesOf = (found: readonly { readonly id: string }[]): string[] => found.map(({ id }) => nameOf(id)).sort();
    const hits = async (more: object = {}): Promise<HitBody[]> =>
      (await searchBy(api, way, asked({ limit: 100, ...more }))).memories;

    it("200: finds what was there then and nothing else: deleted, patched and rejected since, not later or erased", async () => {
      expect(namesOf(await hits())).toEqual([...THERE].sort());
      expect(namesOf(await consideredBy(api, way, asked()))).toEqual([...THERE].sort());
    });

    it("200: shows what was patched since as it was", async () => {
      const patched = (await hits()).find((hit) => nameOf(hit.id) === "patched");
      const { content, tags, namespace, source_site, metadata } = OLD;
      expect(patched).toMatchObject({ content, tags, namespace, source_site, metadata, revision: 1 });
      const today = await searchBy(api, way, asked({ as_of: undefined, query: "drum", gate_mode: "off", limit: 100 }));
      expect(today.memories.find((hit) => nameOf(hit.id) === "patched")).toMatchObject({
        ...{ content: NEW.content, tags: NEW.tags, metadata: NEW.metadata, revision: 2 },
      });
    });

    it("200: scores it by the words and the vector of then", async () => {
      const [patched] = (await hits({ query: "old house" })).filter((hit) => nameOf(hit.id) === "patched");
      expect(patched?.relevance).toBe(1);
      if (way !== "lexical") expect(patched?.semantic_similarity).toBeGreaterThan(0.5);
      const considered = await consideredBy(api, way, asked({ query: "drum flat" }));
      for (const each of considered) expect(each).toMatchObject({ lexical_score: null });
      expect(considered).toHaveLength(way === "lexical" ? 0 : THERE.length);
      for (const each of considered) expect(each.relevance).toBeLessThan(0.3);
    });

    it.each([
      ["source_site", { source_site: OLD.source_site }, { source_site: NEW.source_site }],
      ["namespace_scope", { namespace_scope: "home/old" }, { namespace_scope: "home/new" }],
      ["tags_any", { tags_any: ["old", "other"] }, { tags_any: ["new"] }],
      ["tags_all", { tags_all: ["old"] }, { tags_all: ["new"] }],
      ["session_id", { session_id: "s-old" }, { session_id: "s-new" }],
      ["episode_types", { episode_types: ["old"] }, { episode_types: ["new"] }],
      ["external_id", { external_id: "e-old" }, { external_id: "e-new" }],
      ["metadata", { filter: { "metadata.stage": "old" } }, { filter: { "metadata.stage": "new" } }],
      ["a range", { filter: { "metadata.size": { lt: 2 } } }, { filter: { "metadata.size": { gte: 2 } } }],
      ["content", { filter: { content: { icontains: "OLD" } } }, { filter: { content: { contains: "flat" } } }],
      ["tags in the tree", { filter: { tags: { contains: "old" } } }, { filter: { tags: { contains: "new" } } }],
      ["revision", { filter: { revision: 1, external_id: "e-old" } }, { filter: { revision: 2 } }],
    ])("200: filters by the %s of then", async (_, then, since) => {
      expect(namesOf(await consideredBy(api, way, asked(then)))).toEqual(["patched"]);
      expect(await consideredBy(api, way, asked(since))).toEqual([]);
      expect(namesOf(await consideredBy(api, way, asked({ ...then, as_of: day(12), query: "harp drum" })))).toEqual([]);
      const later = await consideredBy(api, way, asked({ ...since, as_of: day(12), query: "harp drum" }));
      expect(namesOf(later)).toContain("patched");
    });

    it("200: no floor holds the past back, unless the request gives one", async () => {
      const { gate } = await searchBy(api, way, asked());
      expect(gate).toMatchObject({ threshold: null, source: "bypass", reason: "as_of_query", profile_floor: null });
      const own = await searchBy(api, way, asked({ threshold: 0.5 }));
      expect(own.gate).toMatchObject({ threshold: 0.5, source: "request", reason: "caller_threshold" });
      const strict = await searchBy(api, way, asked({ gate_mode: "strict" }));
      expect(strict.gate).toMatchObject({ threshold: 0.3, source: "config", reason: "strict_mode" });
    });

    it("200: is exact to the millisecond, and takes any zone", async () => {
      const before = await searchBy(api, way, asked({ as_of: "2026-01-08T23:59:59.999Z" }));
      expect(before.gate).toMatchObject({ considered: 0, verdict: "store_empty" });
      expect(namesOf(await hits({ as_of: day(9) }))).toEqual([...THERE, "expires_then"].sort());
      expect(namesOf(await hits({ as_of: "2026-01-09T23:59:59.999Z" }))).toContain("expires_then");
      expect(namesOf(await hits({ as_of: "2026-01-10T09:00:00+09:00" }))).toEqual([...THERE].sort());
      expect(namesOf(await hits({ as_of: "2026-01-09T18:30:00.000-05:30" }))).toEqual([...THERE].sort());
    });

    it("200: says of now what a search without it says", async () => {
      const plain = { gate_mode: "off", limit: 100, explain: true };
      const { timing_ms: _, ...past } = await searchBy(api, way, asked({ as_of: now.toISOString(), ...plain }));
      const { timing_ms: __, ...present } = await searchBy(api, way, asked({ as_of: undefined, ...plain }));
      expect(past).toEqual(present);
      expect(namesOf(past.memories)).toContain("later");
      expect(namesOf(past.memories)).not.toContain("deleted");
    });

    it("200: judges recency at that time", async () => {
      const score = async (as_of: string): Promise<number> =>
        (await hits({ as_of })).find((hit) => nameOf(hit.id) === "kept")?.score ?? NaN;
      const [then, later] = [await score(AS_OF), await score(day(40))];
      const fusion = way === "hybrid" || way === "lexical";
      const expected = Math.exp(-9 / 30) - Math.exp(-39 / 30);
      if (!fusion) expect(then - later).toBeCloseTo(expected, 9);
      else expect(then).toBeGreaterThan(later);
    });
  },
);

describe.each(WAYS)("400: as_of in the search %s", (way) => {
  it.each([
    ...["2026-01-01", "Mon Jan 5", "2026-01-01T00:00:00", "2026-01-01 00:00:00Z", "20260101T000000Z", "now", ""],
    ...["2026-01-01T00:00Z", "2026-01-01T00:00:00+01", "2026-01-01T00:00:00+0100", "2026-13-01T00:00:00Z"],
    ...["2026-01-01T24:00:00Z", "2026-02-29T00:00:00Z", " 2026-01-01T00:00:00Z", "0000-01-01T00:00:00Z"],
    ...["2026-01-01T00:00:00Z[UTC]", "+002026-01-01T00:00:00Z", "2026-01-01T00:00:00+24:00"],
    ...[1_767_225_600, 0, true, null, ["2026-01-01T00:00:00Z"], {}],
  ])("is not %j", async (as_of) => {
    expect(wrongFields(await askBy(api, way, { user_id: "u", query: "harp", as_of }))).toEqual(["as_of"]);
  });
});
