import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { coverage, idf } from "../../src/core/bm25.js";

describe("idf", () => {
  it("is ln(1 + (N - df + .5) / (df + .5))", () => {
    expect(idf(10, 2)).toBeCloseTo(Math.log(1 + 8.5 / 2.5), 12);
    expect(idf(0, 0)).toBeCloseTo(Math.LN2, 12);
  });

  it("is positive and falls with the number of memories that hold the term", () => {
    fc.assert(
      fc.property(fc.nat({ max: 1e6 }), fc.nat({ max: 1e6 }), (a, b) => {
        const [few, many] = [Math.min(a, b), Math.max(a, b)];
        expect(idf(1e6, many)).toBeGreaterThan(0);
        expect(idf(1e6, few)).toBeGreaterThanOrEqual(idf(1e6, many));
      }),
    );
  });
});

describe("coverage", () => {
  it("is the share of the query's idf that the memory holds", () => {
    const terms = [
      { idf: 3, matched: true },
      { idf: 1, matched: false },
    ];
    expect(coverage(terms)).toBe(0.75);
  });

  it("is 0 without terms or without a match, and 1 when all match", () => {
    expect(coverage([])).toBe(0);
    expect(coverage([{ idf: 2, matched: false }])).toBe(0);
    expect(coverage([0.1, 0.2, 0.3].map((each) => ({ idf: each, matched: true })))).toBe(1);
  });
});
