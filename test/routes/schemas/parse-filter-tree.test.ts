import { describe, expect, it } from "@jest/globals";
import { parseFilterTree } from "../../../src/routes/schemas/parse-filter-tree.js";

function treeOf(value: unknown): unknown {
  const parsed = parseFilterTree(value);
  return "tree" in parsed ? parsed.tree : parsed;
}

/** Where the faults are, as `a.b[0]`. */
function faultsOf(value: unknown): string[] {
  const parsed = parseFilterTree(value);
  return "tree" in parsed
    ? []
    : parsed.faults.map(({ path }) =>
        path
          .map((step) => (typeof step === "number" ? `[${String(step)}]` : `.${step}`))
          .join("")
          .replace(/^\./, ""),
      );
}

const own = (name: string, test: object): object => ({ kind: "test", field: { of: "memory", name }, test });
const metadata = (path: string[], test: object): object => ({ kind: "test", field: { of: "metadata", path }, test });

/** A node that is nested to this depth. */
function nested(depth: number): object {
  return depth === 1 ? { "metadata.a": 1 } : { NOT: nested(depth - 1) };
}

describe("a filter becomes a tree", () => {
  it.each([
    ["a bare scalar is eq", { namespace: "a" }, own("namespace", { operator: "one_of", values: ["a"] })],
    ["null is a value", { "metadata.a": null }, metadata(["a"], { operator: "one_of", values: [null] })],
    [
      "ne is the not of eq",
      { trust: { ne: 1 } },
      { kind: "not", of: own("trust", { operator: "one_of", values: [1] }) },
    ],
    [
      "exists: false is the not of exists",
      { tags: { exists: false } },
      { kind: "not", of: own("tags", { operator: "exists" }) },
    ],
    [
      "a time is a time",
      { event_at: { lt: "2026-01-01T01:00:00+01:00" } },
      own("event_at", { operator: "lt", value: new Date("2026-01-01T00:00:00Z") }),
    ],
    ["steps", { "metadata.a.0.b": true }, metadata(["a", "0", "b"], { operator: "one_of", values: [true] })],
    ["escaped steps", { "metadata.a\\.b.\\\\": 1 }, metadata(["a.b", "\\"], { operator: "one_of", values: [1] })],
    ["empty steps", { "metadata..a.": 1 }, metadata(["", "a", ""], { operator: "one_of", values: [1] })],
    ["an empty key", { "metadata.": 1 }, metadata([""], { operator: "one_of", values: [1] })],
    ["any key", { "metadata.__proto__": 1 }, metadata(["__proto__"], { operator: "one_of", values: [1] })],
    ["AND of one", { AND: [{ trust: 1 }] }, own("trust", { operator: "one_of", values: [1] })],
  ])("%s", (_name, value, tree) => {
    expect(treeOf(value)).toEqual(tree);
  });

  it("the same one whatever the order of its keys", () => {
    const one = { trust: { gt: 0, lt: 1 }, AND: [{ "metadata.a": 1 }], content: { contains: "x" } };
    const other = { content: { contains: "x" }, AND: [{ "metadata.a": { eq: 1 } }], trust: { lt: 1, gt: 0 } };
    expect(JSON.stringify(treeOf(one))).toBe(JSON.stringify(treeOf(other)));
  });

  it.each([
    [8, []],
    [9, ["NOT.NOT.NOT.NOT.NOT.NOT.NOT.NOT"]],
  ])("at depth %i", (depth, faults) => {
    expect(faultsOf(nested(depth))).toEqual(faults);
  });

  it("of at most 64 operators, 64 nodes in a list, 500 members of one, 16 icontains", () => {
    const nodes = (count: number): object[] => Array.from({ length: count }, () => ({ "metadata.a": 1 }));
    const values = Array.from({ length: 500 }, (_, index) => index);
    const folded = (count: number): object => ({
      OR: Array.from({ length: count }, () => ({ content: { icontains: "a" } })),
    });
    expect(faultsOf({ AND: nodes(64) })).toEqual([]);
    expect(faultsOf({ AND: nodes(65) })).toEqual(["AND"]);
    expect(faultsOf({ AND: nodes(64), OR: nodes(1) })).toEqual(["OR[0].metadata.a"]);
    expect(faultsOf({ "metadata.a": { in: values } })).toEqual([]);
    expect(faultsOf({ "metadata.a": { nin: [...values, 0] } })).toEqual(["metadata.a.nin"]);
    expect(faultsOf(folded(16))).toEqual([]);
    expect(faultsOf(folded(17))).toEqual(["OR[16].content.icontains"]);
    expect(faultsOf({ AND: Array.from({ length: 30 }, () => 1) })).toHaveLength(20);
  });
});

describe("a filter is refused, and the place named", () => {
  const time = "2026-01-01T00:00:00Z";
  it.each<[string, unknown]>([
    ["", []],
    ["", null],
    ["", "x"],
    ["AND", { AND: {} }],
    ["AND", { AND: null }],
    ["OR[1]", { OR: [{}, 3] }],
    ["NOT", { NOT: [] }],
    ["and", { and: [] }],
    ["metadata", { metadata: { eq: 1 } }],
    ["metadatas.a", { "metadatas.a": 1 }],
    ["nothing", { nothing: 1 }],
    ["constructor", { constructor: 1 }],
    ["__proto__", JSON.parse('{"__proto__": 1}')],
    ["embedding", { embedding: { exists: true } }],
    ["metadata.a\\", { "metadata.a\\": 1 }],
    ["metadata.a\\b", { "metadata.a\\b": 1 }],
    ["metadata.\u0000", { "metadata.\u0000": 1 }],
    ["metadata.\ud800", { "metadata.\ud800": 1 }],
    [`metadata${".a".repeat(33)}`, { [`metadata${".a".repeat(33)}`]: 1 }],
    [`metadata.${"a".repeat(4097)}`, { [`metadata.${"a".repeat(4097)}`]: 1 }],
    ["metadata.a", { "metadata.a": {} }],
    ["metadata.a", { "metadata.a": [1] }],
    ["metadata.a.like", { "metadata.a": { like: "x" } }],
    ["metadata.a.toString", { "metadata.a": { toString: "x" } }],
    ["metadata.a.eq", { "metadata.a": { eq: { b: 1 } } }],
    ["metadata.a.eq", { "metadata.a": { eq: 2 ** 53 } }],
    ["metadata.a.eq", { "metadata.a": { eq: "\u0000" } }],
    ["metadata.a.eq", { "metadata.a": { eq: "\udc00" } }],
    ["metadata.a.gt", { "metadata.a": { gt: true } }],
    ["metadata.a.lte", { "metadata.a": { lte: null } }],
    ["metadata.a.in", { "metadata.a": { in: "x" } }],
    ["metadata.a.in[1]", { "metadata.a": { in: [1, [2]] } }],
    ["metadata.a.exists", { "metadata.a": { exists: "true" } }],
    ["metadata.a.contains", { "metadata.a": { contains: "" } }],
    ["metadata.a.icontains", { "metadata.a": { icontains: 5 } }],
    ["metadata.a.icontains", { "metadata.a": { icontains: "ä".repeat(129) } }],
    ["metadata.a.eq", { "metadata.a": { eq: "a".repeat(4097) } }],
    ["content", { content: "x" }],
    ["content.eq", { content: { eq: "x" } }],
    ["tags", { tags: "x" }],
    ["tags.in", { tags: { in: ["x"] } }],
    ["tags.contains", { tags: { contains: 5 } }],
    ["namespace", { namespace: null }],
    ["namespace.gt", { namespace: { gt: 5 } }],
    ["importance", { importance: "0.5" }],
    ["importance.contains", { importance: { contains: 5 } }],
    ["trust.in[0]", { trust: { in: [null] } }],
    ["revision", { revision: Infinity }],
    ["event_at", { event_at: "2026-01-01" }],
    ["event_at.in[1]", { event_at: { in: [time, "2026-02-30T00:00:00Z"] } }],
    ["expires_at", { expires_at: null }],
    ["created_at.icontains", { created_at: { icontains: "2026" } }],
    ["visibility", { visibility: "public" }],
    ["review.in[0]", { review: { in: ["Approved"] } }],
    ["review.gt", { review: { gt: "none" } }],
    ["AND[0].metadata.city.gt", { AND: [{ "metadata.city": { gt: [] } }] }],
  ])("%s: %j", (place, value) => {
    expect(faultsOf(value)).toEqual([place]);
  });
});
