import type { Gate, GateRequest } from "../../src/core/resolve-gate.js";

type Outcome = Omit<Gate, "query_class" | "temporal_state">;
type Floor = Omit<Outcome, "limit">;
type Context = Omit<GateRequest, "query">;

/** Configured floor .4 and profile `safe` (.35), so that no number is there twice. */
const DIRECT: Outcome = {
  ...{ threshold: 0.4, source: "config", reason: "direct_query_default", mode: "auto" },
  ...{ profile_floor: 0.35, limit: 5, opens: false },
};
const BYPASS: Outcome = { ...DIRECT, threshold: null, source: "bypass", reason: "gate_off", profile_floor: null };
const AGGREGATION: Outcome = { ...BYPASS, reason: "recall_oriented_aggregation_query", limit: 25 };
const MULTI_HOP: Outcome = { ...BYPASS, reason: "recall_oriented_multi_hop_query", limit: 12 };
const COMPLEX: Outcome = { ...BYPASS, reason: "recall_oriented_complex_query", limit: 8 };
const TEMPORAL: Outcome = { ...BYPASS, reason: "temporal_state_query" };

/** What the gate is in auto mode, by class and temporal state. */
export const GATE_BY_CLASS: Readonly<Record<string, Outcome>> = {
  "simple null": DIRECT,
  "medium null": DIRECT,
  "complex null": COMPLEX,
  "multi_hop null": MULTI_HOP,
  "aggregation null": AGGREGATION,
  "simple current": TEMPORAL,
  "medium current": TEMPORAL,
  "aggregation current": { ...TEMPORAL, limit: 25 },
  "simple historical": TEMPORAL,
  "medium historical": TEMPORAL,
  "multi_hop historical": { ...TEMPORAL, limit: 12 },
};

/** What the rest of a request makes of the gate of any query; its limit stays that of its class. */
export const GATE_BY_CONTEXT: readonly (readonly [Context, Floor])[] = [
  [
    { gate_mode: "auto", as_of: 0 },
    { ...BYPASS, reason: "as_of_query" },
  ],
  [
    { gate_mode: "auto", as_of: "2026-01-01T00:00:00Z", source_site: "slack" },
    { ...BYPASS, reason: "as_of_query" },
  ],
  [
    { gate_mode: "auto", source_site: "slack" },
    { ...BYPASS, reason: "source_site_filter" },
  ],
  [
    { gate_mode: "auto", source_site: "" },
    { ...BYPASS, reason: "source_site_filter" },
  ],
  [
    { gate_mode: "strict", as_of: 0, source_site: "slack" },
    { ...DIRECT, reason: "strict_mode", mode: "strict" },
  ],
  [
    { gate_mode: "open", as_of: 0, source_site: "slack" },
    { ...DIRECT, mode: "open", profile_floor: null, opens: true },
  ],
  [
    { gate_mode: "off", as_of: 0, source_site: "slack" },
    { ...BYPASS, mode: "off" },
  ],
  ...[0, 0.4, 1].flatMap((threshold) => ownThreshold(threshold)),
];

function ownThreshold(threshold: number): [Context, Floor][] {
  const own = { threshold, source: "request", reason: "caller_threshold", profile_floor: null } as const;
  return [
    [
      { gate_mode: "auto", threshold },
      { ...own, mode: "auto", opens: false },
    ],
    [
      { gate_mode: "auto", threshold, as_of: 0, source_site: "slack" },
      { ...own, mode: "auto", opens: false },
    ],
    [
      { gate_mode: "open", threshold },
      { ...own, mode: "open", opens: true },
    ],
  ];
}
