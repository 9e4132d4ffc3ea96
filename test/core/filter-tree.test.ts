import { describe, expect, it } from "@jest/globals";
import { EVERYTHING, isConstant, NOTHING, simplify, type FilterTree } from "../../src/core/filter-tree.js";

const TEST: FilterTree = { kind: "test", field: { of: "memory", name: "tags" }, test: { operator: "exists" } };
const NO_VALUES: FilterTree = { ...TEST, test: { operator: "one_of", values: [] } };

const all = (...of: FilterTree[]): FilterTree => ({ kind: "all", of });
const any = (...of: FilterTree[]): FilterTree => ({ kind: "any", of });
const not = (of: FilterTree): FilterTree => ({ kind: "not", of });

describe("a tree without what decides nothing", () => {
  it.each([
    ["AND of none", all(), EVERYTHING],
    ["OR of none", any(), NOTHING],
    ["NOT of the one", not(any()), EVERYTHING],
    ["NOT of the other", not(all()), NOTHING],
    ["a test", TEST, TEST],
    ["AND with everything", all(all(), TEST, not(any())), TEST],
    ["AND with nothing", all(TEST, any()), NOTHING],
    ["OR with nothing", any(NO_VALUES, TEST, not(all())), TEST],
    ["OR with everything", any(TEST, all()), EVERYTHING],
    ["a list of none", NO_VALUES, NOTHING],
    ["not in a list of none", not(NO_VALUES), EVERYTHING],
    ["what is left of a deep one", all(any(all(any(TEST, not(all())))), not(not(TEST))), all(TEST, not(not(TEST)))],
  ])("%s", (_name, tree, simple) => {
    expect(simplify(tree)).toEqual(simple);
    expect(isConstant(simplify(tree))).toBe(simple === EVERYTHING || simple === NOTHING);
  });
});
