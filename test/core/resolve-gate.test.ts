import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { MemgateError } from "../../src/core/errors.js";
import { ADAPTIVE_LIMITS_DEFAULT } from "../../src/core/limits.js";
import { PROFILES } from "../../src/core/profiles.js";
import { GATE_MODES, resolveGate, type Gate, type GateRequest } from "../../src/core/resolve-gate.js";

const POLICY = { similarity_threshold: 0.3, profile: PROFILES.safe, limits: ADAPTIVE_LIMITS_DEFAULT };
const DIRECT = "What is the wifi password?";
const AGGREGATION = "How many siblings does Bob have?";
const CURRENT = "Where do I currently work?";

function resolve(request: Partial<GateRequest>): Gate {
  return resolveGate({ query: DIRECT, gate_mode: "auto", ...request }, POLICY);
}

function errorOf(request: Partial<GateRequest>): unknown {
  try {
    return resolve(request);
  } catch (error) {
    return error;
  }
}

describe("resolveGate", () => {
  it("takes the configured threshold and the profile's floor for a direct query", () => {
    expect(resolve({})).toEqual({
      threshold: 0.3,
      source: "config",
      reason: "direct_query_default",
      query_class: "simple",
      temporal_state: null,
      mode: "auto",
      profile_floor: 0.35,
      limit: 5,
      opens: false,
    });
  });

  it.each([0, 0.1, 1])("lets a request's threshold of %d beat every other floor and every bypass", (threshold) => {
    const expected = { threshold, source: "request", reason: "caller_threshold", profile_floor: null };
    for (const query of [DIRECT, AGGREGATION, CURRENT]) {
      for (const gate_mode of ["auto", "open"] as const) {
        expect(resolve({ query, threshold, gate_mode, as_of: 1, source_site: "slack" })).toMatchObject(expected);
      }
    }
  });

  it.each([
    [{ as_of: new Date(0), source_site: "slack", query: CURRENT }, "as_of_query"],
    [{ as_of: 0 }, "as_of_query"],
    [{ source_site: "slack", query: CURRENT }, "source_site_filter"],
    [{ query: CURRENT }, "temporal_state_query"],
    [{ query: "How many people currently work here?" }, "temporal_state_query"],
    [{ query: "Where did Alice used to live?" }, "temporal_state_query"],
    [{ query: AGGREGATION }, "recall_oriented_aggregation_query"],
    [{ query: "Compare plan A with plan B" }, "recall_oriented_multi_hop_query"],
    [{ query: "Why did Alice change her job?" }, "recall_oriented_complex_query"],
  ])("opens the gate for %j because of %s, the first reason that applies", (request, reason) => {
    expect(resolve(request)).toMatchObject({ threshold: null, source: "bypass", reason, profile_floor: null });
  });

  it("takes null for as_of and source_site as absent", () => {
    expect(resolve({ as_of: null, source_site: null }).reason).toBe("direct_query_default");
  });

  it("knows no bypass in strict mode, and applies the profile's floor to every class", () => {
    const expected = { threshold: 0.3, source: "config", reason: "strict_mode", profile_floor: 0.35, opens: false };
    for (const query of [DIRECT, AGGREGATION, CURRENT]) {
      expect(resolve({ query, gate_mode: "strict", as_of: 1, source_site: "slack" })).toMatchObject(expected);
    }
  });

  it("knows no bypass and no profile floor in open mode", () => {
    const expected = { threshold: 0.3, source: "config", profile_floor: null, opens: true };
    expect(resolve({ query: AGGREGATION, gate_mode: "open", as_of: 1 })).toMatchObject(expected);
    expect(resolve({ threshold: 0.7, gate_mode: "open" })).toMatchObject({ threshold: 0.7, opens: true });
  });

  it("has no floor at all in off mode", () => {
    const expected = { threshold: null, source: "bypass", reason: "gate_off", profile_floor: null, opens: false };
    expect(resolve({ gate_mode: "off", as_of: 1 })).toMatchObject(expected);
  });

  it.each([
    { threshold: 0.3, gate_mode: "strict" as const },
    { threshold: 0, gate_mode: "off" as const },
    { threshold: 1.01 },
    { threshold: -0.01 },
    { threshold: NaN },
  ])("refuses %j and names the field", (request) => {
    const error = errorOf(request);
    expect(error).toBeInstanceOf(MemgateError);
    expect(error).toMatchObject({ code: "invalid_request", more: { errors: [{ path: "threshold" }] } });
  });

  it("takes the request's limit, otherwise that of the class", () => {
    expect(resolve({ limit: 50 }).limit).toBe(50);
    expect(resolve({ query: AGGREGATION }).limit).toBe(25);
    expect(resolve({ query: "Compare plan A with plan B" }).limit).toBe(12);
    expect(resolve({ query: "Why did Alice change her job?" }).limit).toBe(8);
  });

  it("has a threshold exactly when it is not bypassed", () => {
    const request = fc.record({
      query: fc.constantFrom(DIRECT, AGGREGATION, CURRENT),
      gate_mode: fc.constantFrom(...GATE_MODES),
      as_of: fc.constantFrom(null, 1),
      source_site: fc.constantFrom(null, "slack"),
    });
    fc.assert(
      fc.property(request, (any) => {
        const gate = resolve(any);
        expect(gate.threshold === null).toBe(gate.source === "bypass");
        expect(gate.profile_floor !== null && gate.threshold === null).toBe(false);
      }),
    );
  });
});
