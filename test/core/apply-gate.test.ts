import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { applyGate, type Gated, type Scored } from "../../src/core/apply-gate.js";
import { ADAPTIVE_LIMITS_DEFAULT } from "../../src/core/limits.js";
import { PROFILES } from "../../src/core/profiles.js";
import { resolveGate, type Gate, type GateRequest } from "../../src/core/resolve-gate.js";

const POLICY = { similarity_threshold: 0.3, profile: PROFILES.safe, limits: ADAPTIVE_LIMITS_DEFAULT };
const CONTEXT = { config_threshold: 0.3, storeEmpty: false };

function gate(request: Partial<GateRequest>): Gate {
  return resolveGate({ query: "What is the wifi password?", gate_mode: "auto", ...request }, POLICY);
}

function hit(relevance: number, coverage = 0): Scored {
  return { id: `${String(relevance)}/${String(coverage)}`, relevance, coverage };
}

function apply(request: Partial<GateRequest>, hits: readonly Scored[]): Gated<Scored> {
  return applyGate(gate(request), hits, CONTEXT);
}

function outcomes(gated: Gated<Scored>): string[] {
  return gated.decisions.map(({ decision, stage, reason }) => `${decision} ${stage} ${reason}`);
}

describe("applyGate", () => {
  it("keeps a hit exactly from the threshold on", () => {
    const below = 0.5 - Number.EPSILON;
    const gated = apply({ threshold: 0.5 }, [hit(0.9), hit(0.5), hit(below), hit(0)]);
    expect(gated.kept.map((each) => each.relevance)).toEqual([0.9, 0.5]);
    expect(outcomes(gated)).toEqual([
      ...["kept gate meets_threshold", "kept gate meets_threshold"],
      ...["dropped gate below_threshold", "dropped gate below_threshold"],
    ]);
  });

  it("returns unrelated memories at a threshold of 0", () => {
    expect(apply({ threshold: 0 }, [hit(0.01), hit(0)]).kept).toHaveLength(2);
  });

  it("never keeps a relevance that is not a number, in any mode", () => {
    for (const request of [{}, { threshold: 0 }, { gate_mode: "off" as const }, { gate_mode: "open" as const }]) {
      const gated = apply(request, [hit(0.9), hit(NaN)]);
      expect(gated.kept).toEqual([hit(0.9)]);
      expect(outcomes(gated)[1]).toBe("dropped gate below_threshold");
    }
  });

  it("drops hits below the profile's floor as a stage of its own", () => {
    const gated = apply({}, [hit(0.35), hit(0.34), hit(0.29)]);
    expect(outcomes(gated)).toEqual([
      ...["kept gate meets_threshold", "dropped profile_floor below_profile_floor", "dropped gate below_threshold"],
    ]);
  });

  it("spares from the profile's floor a hit whose coverage alone reaches the threshold", () => {
    const gated = apply({ gate_mode: "strict" }, [hit(0.32, 0.32), hit(0.32, 0.3), hit(0.32, 0.29)]);
    expect(gated.kept).toEqual([hit(0.32, 0.32), hit(0.32, 0.3)]);
  });

  it("applies no profile floor to a request's threshold", () => {
    expect(apply({ threshold: 0.1 }, [hit(0.2)]).kept).toEqual([hit(0.2)]);
  });

  it("applies the limit last, so that dropped hits use none of it", () => {
    const gated = apply({ limit: 2 }, [hit(0.1), hit(0.9), hit(0.32), hit(0.8), hit(0.7), hit(0.2)]);
    expect(gated.kept).toEqual([hit(0.9), hit(0.8)]);
    expect(outcomes(gated)[4]).toBe("dropped limit over_limit");
    expect(outcomes(gated)[5]).toBe("dropped gate below_threshold");
  });

  it("lets everything pass a bypass and a gate that is off, up to the limit", () => {
    const hits = [hit(0.01), hit(0), hit(0.9)];
    expect(outcomes(apply({ as_of: 1, limit: 2 }, hits))).toEqual([
      ...["kept gate gate_bypassed", "kept gate gate_bypassed", "dropped limit over_limit"],
    ]);
    expect(outcomes(apply({ gate_mode: "off" }, hits))).toEqual(hits.map(() => "kept gate gate_off"));
  });

  it("opens for all in open mode once one hit reaches the threshold, wherever it stands", () => {
    const gated = apply({ gate_mode: "open", limit: 2 }, [hit(0.1), hit(0.2), hit(0.9)]);
    expect(gated.kept).toEqual([hit(0.1), hit(0.2)]);
    expect(outcomes(gated)).toEqual(["kept gate opened", "kept gate opened", "dropped limit over_limit"]);
    expect(outcomes(apply({ gate_mode: "open" }, [hit(0.3)]))).toEqual(["kept gate meets_threshold"]);
  });

  it("stays shut in open mode when no hit reaches the threshold", () => {
    const gated = apply({ gate_mode: "open", threshold: 0.5 }, [hit(0.4), hit(0.2)]);
    expect(gated.kept).toEqual([]);
    expect(outcomes(gated)).toEqual(["dropped gate below_threshold", "dropped gate below_threshold"]);
  });

  it("reaches its verdict at the configured floor, whatever was asked for", () => {
    expect(apply({ as_of: 1 }, [hit(0.29)]).verdict).toBe("nothing_relevant");
    expect(apply({ threshold: 0 }, [hit(0.29)]).verdict).toBe("nothing_relevant");
    expect(apply({ threshold: 0.9 }, [hit(0.1), hit(0.3)]).verdict).toBe("relevant");
    expect(apply({ threshold: 0 }, [hit(NaN)]).verdict).toBe("nothing_relevant");
  });

  it("tells an empty store from one without a considered hit", () => {
    expect(applyGate(gate({}), [], { ...CONTEXT, storeEmpty: true }).verdict).toBe("store_empty");
    expect(applyGate(gate({}), [], CONTEXT).verdict).toBe("nothing_relevant");
  });

  it("explains every considered hit once, in order, and keeps exactly what it says", () => {
    const unit = fc.constantFrom(0, 0.29, 0.3, 0.34, 0.35, 0.8, 1, NaN);
    const hits = fc
      .array(fc.tuple(unit, unit))
      .map((pairs) => pairs.map(([r, q], at) => ({ ...hit(r, q), id: String(at) })));
    const requests = fc.constantFrom<Partial<GateRequest>>(
      ...[{}, { threshold: 0.34 }, { gate_mode: "strict" as const }, { gate_mode: "open" as const }],
      ...[{ gate_mode: "off" as const }, { as_of: 1 }, { limit: 2 }],
    );
    fc.assert(
      fc.property(requests, hits, (request, considered) => {
        const gated = apply(request, considered);
        expect(gated.decisions.map((each) => each.id)).toEqual(considered.map((each) => each.id));
        const said = gated.decisions.filter((each) => each.decision === "kept").map((each) => each.id);
        expect(gated.kept.map((each) => each.id)).toEqual(said);
        expect(said.length).toBeLessThanOrEqual(gate(request).limit);
      }),
    );
  });
});
