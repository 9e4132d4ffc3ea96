import { describe, expect, it } from "@jest/globals";
import { ADAPTIVE_LIMITS_DEFAULT, QUERY_MAX_BYTES } from "../../src/core/limits.js";
import { PROFILES } from "../../src/core/profiles.js";
import { resolveGate, type Gate, type GateRequest } from "../../src/core/resolve-gate.js";
import { CLASSIFIED_QUERIES } from "./classify-query.table.js";
import { GATE_BY_CLASS, GATE_BY_CONTEXT } from "./resolved-gate.table.js";

const POLICY = { similarity_threshold: 0.4, profile: PROFILES.safe, limits: ADAPTIVE_LIMITS_DEFAULT };

function resolve(query: string, more: Partial<GateRequest> = {}): Gate {
  return resolveGate({ query, gate_mode: "auto", ...more }, POLICY);
}

/** A query of 4,096 bytes that ends so. */
const padded = (query: string): string =>
  `${"word ".repeat(QUERY_MAX_BYTES).slice(0, QUERY_MAX_BYTES - Buffer.byteLength(query) - 2)}. ${query}`;

describe.each(CLASSIFIED_QUERIES)("the whole gate of %j, %s, %s", (query, query_class, temporal_state) => {
  const byClass = GATE_BY_CLASS[`${query_class} ${String(temporal_state)}`];

  it("is that of its class", () => {
    expect(resolve(query)).toEqual({ ...byClass, query_class, temporal_state });
  });

  it("is that of its class in capitals, without a question mark, and at the end of 4,096 bytes", () => {
    const expected = { ...byClass, query_class, temporal_state };
    expect(resolve(query.toUpperCase())).toEqual(expected);
    expect(resolve(query.replace(/[?؟;]$/u, ""))).toEqual(expected);
    const long = query_class === "simple" ? "medium" : query_class;
    expect(resolve(padded(query))).toEqual({ ...expected, query_class: long });
  });

  it("is that of the request's context, threshold or mode where there is one; its limit stays", () => {
    for (const [context, floor] of GATE_BY_CONTEXT) {
      const limit = byClass?.limit;
      expect(resolve(query, context)).toEqual({ ...floor, query_class, temporal_state, limit });
      expect(resolve(query, { ...context, limit: 50 })).toMatchObject({ ...floor, limit: 50 });
    }
  });
});

describe("the table of queries", () => {
  it("has 100 of them and every class, and temporal states of both kinds", () => {
    expect(new Set(CLASSIFIED_QUERIES.map(([query]) => query)).size).toBeGreaterThanOrEqual(100);
    const kinds = new Set(CLASSIFIED_QUERIES.map(([, queryClass, state]) => `${queryClass} ${String(state)}`));
    expect([...kinds].sort()).toEqual(Object.keys(GATE_BY_CLASS).sort());
  });
});
