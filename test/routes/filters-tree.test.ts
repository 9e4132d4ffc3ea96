import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { bodyOf, startApi, type Api } from "../support/api.js";
import { findBy, foundByAll } from "../support/filter-calls.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";
import { uniqueName } from "../support/unique-name.js";

let database: TestDatabase;
let api: Api;
const user_id = uniqueName("user");
const FIRST = Date.parse("2026-03-01T00:00:00.000Z");
let now = FIRST;

const INJECTION = `'; drop table memories; -- " $1 \\ {0}`;

/** One corpus for the whole table, each written a minute after the one before: nothing here changes it. */
const CORPUS: Record<string, object> = {
  five: { metadata: { n: 5, s: "m", list: [1, "Red", null], deep: { a: [{ b: "x" }] } }, tags: ["red"] },
  text: { metadata: { n: "5", s: "Z", list: "Redcurrant" }, tags: ["Red", "ÄRGER"], source_url: "https://a.example/X" },
  none: { metadata: { n: null, s: "a", list: [] }, namespace: "work", importance: 0.1, trust: 0.9 },
  many: { metadata: { n: [5, 7], s: "ä", list: [["Red"], 5] }, namespace: "Work", importance: 0.3 },
  nested: { metadata: { n: { "5": 5 }, s: "\uffff" }, session_id: "s1", expires_at: "2099-01-01T00:00:00Z" },
  yes: { metadata: { n: true, s: "\u{10000}" }, source_site: "slack", external_id: "e-1", agent_id: "a" },
  half: { metadata: { n: 5.5, s: "" }, episode_type: "fact", event_at: "0001-01-01T00:00:00Z" },
  minus: { metadata: { n: -1e-7 }, event_at: "9999-12-31T23:59:59.999Z" },
  odd: {
    metadata: { "a.b": 1, "c\\d": 1, 'e"f': 1, "g'h": 1, "ключ 🔑": 1, "": { "": 1 }, __proto__x: 1, "{x,y}": 1 },
  },
  hostile: { metadata: { [INJECTION]: INJECTION }, tags: [INJECTION] },
  array: { metadata: { v: ["zero", "one"] } },
  object: { metadata: { v: { "0": "zero", "-1": "minus", "01": "lead", "+1": "plus" } } },
  upper: { content: "ÄRGER mit STRASSE 100% [ok] a_b", metadata: { w: "ÄB", many: ["ÄB", "ÄBC"] } },
  lower: { content: "ärger mit straße 100 prozent (ok) a.b", metadata: { w: "äb", many: ["äb"] } },
};

const ids: Record<string, string> = {};

beforeAll(async () => {
  database = await openTestDatabase();
  api = await startApi({ db: database.db, clock: () => new Date(now) });
  for (const [name, fields] of Object.entries(CORPUS)) {
    ids[name] = (await api.store({ user_id, content: `The one that is ${name}.`, ...fields })).id;
    now += 60_000;
  }
  bodyOf(await api.request.patch(`/v1/memories/${ids.five ?? ""}`).send({ user_id, trust: 0.5 }), 200);
  const review = { user_id, action: "approve" };
  bodyOf(await api.request.post(`/v1/memories/${ids.text ?? ""}/review`).send(review), 200);
  await api.store({ user_id, project: "p", content: "x", metadata: { n: 5 }, tags: ["red"] });
});

afterAll(async () => {
  await api.close();
  await database.close();
});

const minute = (count: number): string => new Date(FIRST + count * 60_000).toISOString();
const except = (...names: string[]): string[] => Object.keys(CORPUS).filter((name) => !names.includes(name));

const METADATA: [object, string[]][] = [
  [{ "metadata.n": 5 }, ["five"]],
  [{ "metadata.n": "5" }, ["text"]],
  [{ "metadata.n": { eq: null } }, ["none"]],
  [{ "metadata.n": true }, ["yes"]],
  [{ "metadata.n": { ne: 5 } }, except("five")],
  [{ "metadata.n": { ne: null } }, except("none")],
  [{ "metadata.n": { in: [5, "5", null] } }, ["five", "text", "none"]],
  [{ "metadata.n": { nin: [5, true] } }, except("five", "yes")],
  [{ "metadata.n": { gt: 5 } }, ["half"]],
  [{ "metadata.n": { gte: 5 } }, ["five", "half"]],
  [{ "metadata.n": { lt: 5 } }, ["minus"]],
  [{ "metadata.n": { lte: 5, gt: -1e-7 } }, ["five"]],
  [{ "metadata.n": { gt: 9_007_199_254_740_990 } }, []],
  [{ "metadata.n": { gt: "" } }, ["text"]],
  [{ "metadata.n": { exists: true } }, ["five", "text", "none", "many", "nested", "yes", "half", "minus"]],
  [{ "metadata.n": { exists: false } }, ["odd", "hostile", "array", "object", "upper", "lower"]],
  [{ NOT: { "metadata.n": { gt: 0 } } }, except("five", "half")],
  [{ "metadata.s": { gt: "a" } }, ["five", "many", "nested", "yes"]],
  [{ "metadata.s": { lt: "a" } }, ["text", "half"]],
  [{ "metadata.s": { gte: "\uffff" } }, ["nested", "yes"]],
  [{ "metadata.s": { gt: "\uffff" } }, ["yes"]],
  [{ "metadata.list": { contains: 1 } }, ["five"]],
  [{ "metadata.list": { contains: null } }, ["five"]],
  [{ "metadata.list": { contains: "Red" } }, ["five", "text"]],
  [{ "metadata.list": { contains: "red" } }, []],
  [{ "metadata.list": { icontains: "rED" } }, ["five", "text"]],
  [{ "metadata.list": { icontains: "re" } }, ["text"]],
  [{ "metadata.deep.a.0.b": "x" }, ["five"]],
  [{ "metadata.deep.a.1.b": { exists: true } }, []],
  [{ "metadata.n.5": 5 }, ["nested"]],
  [{ "metadata.n.0": 5 }, ["many"]],
];

const KEYS: [object, string[]][] = [
  [{ "metadata.a\\.b": 1 }, ["odd"]],
  [{ "metadata.a.b": 1 }, []],
  [{ "metadata.c\\\\d": 1 }, ["odd"]],
  [{ 'metadata.e"f': 1, "metadata.g'h": 1, "metadata.ключ 🔑": 1, "metadata.": { exists: true } }, ["odd"]],
  [{ "metadata..": 1 }, ["odd"]],
  [{ "metadata.{x,y}": 1 }, ["odd"]],
  [{ "metadata.__proto__": { exists: true } }, []],
  [{ [`metadata.${INJECTION.replaceAll("\\", "\\\\")}`]: INJECTION }, ["hostile"]],
  [{ tags: { contains: INJECTION } }, ["hostile"]],
  [{ tags: { icontains: INJECTION.toUpperCase() } }, ["hostile"]],
  [{ "metadata.n": INJECTION }, []],
  [{ content: { icontains: INJECTION } }, []],
  [{ "metadata.v.0": "zero" }, ["array", "object"]],
  [{ "metadata.v.-1": { exists: true } }, ["object"]],
  [{ "metadata.v.01": { exists: true } }, ["object"]],
  [{ "metadata.v.+1": { exists: true } }, ["object"]],
  [{ "metadata.v. 1": { exists: true } }, []],
  [{ "metadata.v.99999999999999999999": { exists: true } }, []],
];

const CASE: [object, string[]][] = [
  [{ content: { icontains: "Ärger" } }, ["upper", "lower"]],
  [{ content: { contains: "Ärger" } }, []],
  [{ content: { contains: "ärger" } }, ["lower"]],
  [{ content: { icontains: "strasse" } }, ["upper"]],
  [{ content: { icontains: "STRAẞE" } }, ["lower"]],
  [{ content: { icontains: "100% [OK]" } }, ["upper"]],
  [{ content: { icontains: "A_B" } }, ["upper"]],
  [{ content: { icontains: "A.B" } }, ["lower"]],
  [{ content: { icontains: ".*" } }, []],
  [{ content: { icontains: "***:." } }, []],
  [{ content: { contains: "100%" } }, ["upper"]],
  [{ "metadata.w": { icontains: "Äb" } }, ["upper", "lower"]],
  [{ "metadata.many": { icontains: "äB" } }, ["upper", "lower"]],
  [{ "metadata.many": { icontains: "äBc" } }, ["upper"]],
  [{ tags: { icontains: "ärger" } }, ["text"]],
  [{ tags: { icontains: "ärge" } }, []],
];

const OWN: [object, string[]][] = [
  [{ tags: { contains: "red" } }, ["five"]],
  [{ tags: { icontains: "RED" } }, ["five", "text"]],
  [{ tags: { contains: "re" } }, []],
  [{ tags: { exists: true } }, ["five", "text", "hostile"]],
  [{ tags: { exists: false }, namespace: { exists: true } }, ["none", "many"]],
  [{ namespace: "work" }, ["none"]],
  [{ namespace: { icontains: "WOR" } }, ["none", "many"]],
  [{ namespace: { gt: "Work" } }, ["none"]],
  [{ namespace: { ne: "work" } }, except("none")],
  [{ namespace: { nin: ["work", "Work"] } }, except("none", "many")],
  [{ source_url: { contains: "example/X" } }, ["text"]],
  [{ source_site: { in: ["slack"] } }, ["yes"]],
  [{ session_id: { exists: true } }, ["nested"]],
  [{ session_id: "s1" }, ["nested"]],
  [{ episode_type: "fact" }, ["half"]],
  [{ external_id: "e-1" }, ["yes"]],
  [{ agent_id: "a" }, ["yes"]],
  [{ importance: { lt: 0.3 } }, ["none"]],
  [{ importance: { in: [0.1, 0.3] } }, ["none", "many"]],
  [{ trust: { eq: 0.9 } }, ["none"]],
  [{ revision: { gte: 2 } }, ["five", "text"]],
  [{ event_at: { lte: "0001-01-01T00:00:00Z" } }, ["half"]],
  [{ event_at: "9999-12-31T23:59:59.999Z" }, ["minus"]],
  [{ created_at: { gt: minute(1), lte: minute(3) } }, ["none", "many"]],
  [{ created_at: { in: [minute(0), minute(2).replace("Z", "+00:00")] } }, ["five", "none"]],
  [{ updated_at: { gte: minute(14) } }, ["five", "text"]],
  [{ expires_at: { exists: true } }, ["nested"]],
  [{ expires_at: { lt: "2100-01-01T00:00:00Z" } }, ["nested"]],
  [{ NOT: { expires_at: { gt: "2100-01-01T00:00:00Z" } }, namespace: "work" }, ["none"]],
  [{ visibility: { exists: true } }, []],
  [{ visibility: { ne: "workspace" }, session_id: "s1" }, ["nested"]],
  [{ review: "approved" }, ["text"]],
];

const TREES: [object, string[]][] = [
  [{ OR: [{ "metadata.n": 5 }, { namespace: "work" }] }, ["five", "none"]],
  [{ AND: [{ "metadata.n": { exists: true } }, { tags: { exists: true } }] }, ["five", "text"]],
  [
    {
      NOT: {
        OR: [
          { "metadata.n": { exists: true } },
          { "metadata.v": { exists: true } },
          { "metadata.w": { exists: true } },
        ],
      },
    },
    ["odd", "hostile"],
  ],
  [
    {
      OR: [{ AND: [{ trust: 1 }, { NOT: { importance: { gte: 0.5 } } }] }, { "metadata.s": "Z" }],
      "metadata.list": { exists: true },
    },
    ["text", "many"],
  ],
  [{ NOT: { NOT: { "metadata.n": 5 } } }, ["five"]],
];

describe("a filter tree", () => {
  it.each([...METADATA, ...KEYS, ...CASE, ...OWN, ...TREES])(
    "200: %j finds the same in a listing, searches and a deletion",
    async (filter, names) => {
      const expected = names.map((name) => ids[name] ?? "");
      expect(await findBy(api, user_id, filter)).toEqual(foundByAll(expected));
    },
  );
});
