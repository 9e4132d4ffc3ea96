import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { classifyQuery } from "../../src/core/classify-query.js";
import { QUERY_MAX_BYTES, ADAPTIVE_LIMITS_DEFAULT } from "../../src/core/limits.js";
import { queryClass } from "../../src/core/query-class.js";
import { splitSentences } from "../../src/core/query-sentences.js";
import { temporalState } from "../../src/core/temporal-state.js";
import { CLASSIFIED_QUERIES } from "./classify-query.table.js";

function padTo(bytes: number, query: string): string {
  return "word ".repeat(bytes).slice(0, bytes - query.length) + query;
}

describe("classifyQuery", () => {
  it("is tested on at least 90 different queries", () => {
    expect(new Set(CLASSIFIED_QUERIES.map(([query]) => query)).size).toBeGreaterThanOrEqual(90);
  });

  it.each(CLASSIFIED_QUERIES)("finds %j to be %s and of temporal state %s", (query, query_class, temporal_state) => {
    expect(classifyQuery(query)).toEqual({ query_class, temporal_state });
  });

  it.each(CLASSIFIED_QUERIES)("gives %j the same answer in capitals", (query, query_class, temporal_state) => {
    expect(classifyQuery(query.toUpperCase())).toEqual({ query_class, temporal_state });
  });

  it.each(CLASSIFIED_QUERIES)("gives %j the same answer without its question mark", (query, query_class, temporal) => {
    const bare = query.replace(/[?؟]$/u, "");
    expect(classifyQuery(bare)).toEqual({ query_class, temporal_state: temporal });
  });

  it("does not depend on which of the two classifiers runs first", () => {
    for (const [query] of CLASSIFIED_QUERIES) {
      const sentences = splitSentences(query);
      const temporalFirst = [temporalState(sentences), queryClass(sentences)];
      const classFirst = [queryClass(sentences), temporalState(sentences)];
      expect(temporalFirst).toEqual(classFirst.reverse());
      expect(classifyQuery(query)).toEqual({ temporal_state: temporalFirst[0], query_class: temporalFirst[1] });
    }
  });

  it("classifies a query of 4,096 bytes by the same rules", () => {
    expect(classifyQuery(padTo(QUERY_MAX_BYTES, ""))).toEqual({ query_class: "medium", temporal_state: null });
    expect(classifyQuery(padTo(QUERY_MAX_BYTES, ". How many dogs do I have?")).query_class).toBe("aggregation");
    expect(classifyQuery(padTo(QUERY_MAX_BYTES, ". Where do I currently live?")).temporal_state).toBe("current");
    expect(classifyQuery("猫".repeat(1_365)).query_class).toBe("medium");
    expect(classifyQuery("?!".repeat(2_048))).toEqual({ query_class: "simple", temporal_state: null });
  });

  it("joins no words across the end of a sentence", () => {
    expect(classifyQuery("I know how. Many people came.").query_class).toBe("medium");
  });

  it("classifies any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (query) => {
        expect(Object.keys(ADAPTIVE_LIMITS_DEFAULT)).toContain(classifyQuery(query).query_class);
      }),
    );
  });

  it("finds no rule word inside a longer word", () => {
    const letters = fc.constantFrom("x", "zz", "é", "й", "字");
    const triggers = fc.constantFrom("how many", "currently", "compare a and b", "timeline", "previously", "used to");
    fc.assert(
      fc.property(letters, triggers, (letter, trigger) => {
        const glued = trigger.replace(/\S+/gu, (word) => `${letter}${word}${letter}`);
        const { query_class, temporal_state } = classifyQuery(glued);
        expect([query_class, temporal_state]).toEqual(["simple", null]);
      }),
    );
  });
});
