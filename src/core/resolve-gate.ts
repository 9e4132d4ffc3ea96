import { clamp01 } from "./clamp01.js";
import { classifyQuery, type QueryClass, type QueryClassification, type TemporalState } from "./classify-query.js";
import { invalidField } from "./errors.js";
import type { Profile } from "./profiles.js";

export const GATE_MODES = ["auto", "strict", "open", "off"] as const;
export const GATE_SOURCES = ["request", "bypass", "config"] as const;
export const GATE_REASONS = [
  "caller_threshold",
  "as_of_query",
  "source_site_filter",
  "temporal_state_query",
  "recall_oriented_complex_query",
  "recall_oriented_multi_hop_query",
  "recall_oriented_aggregation_query",
  "direct_query_default",
  "strict_mode",
  "gate_off",
] as const;

export type GateMode = (typeof GATE_MODES)[number];
export type GateSource = (typeof GATE_SOURCES)[number];
export type GateReason = (typeof GATE_REASONS)[number];

export interface GateRequest {
  readonly query: string;
  /** Relevance from which a memory is returned, 0 to 1; 0 is a real floor and not the same as absent. */
  readonly threshold?: number | undefined;
  readonly gate_mode: GateMode;
  /** Any value but null or undefined: the request reads the past. */
  readonly as_of?: Date | string | number | null | undefined;
  /** Any value but null or undefined: the request asks for one source. */
  readonly source_site?: string | null | undefined;
  /** How many memories at most; absent: the limit of the query's class. */
  readonly limit?: number | undefined;
}

export interface GatePolicy {
  /** SIMILARITY_THRESHOLD, 0 to 1. */
  readonly similarity_threshold: number;
  readonly profile: Profile;
  readonly limits: Readonly<Record<QueryClass, number>>;
}

/** The relevance floor for one request, and where it came from. */
export interface Gate {
  /** 0 to 1; null, exactly when `source` is `bypass`, lets everything pass. */
  readonly threshold: number | null;
  readonly source: GateSource;
  readonly reason: GateReason;
  readonly query_class: QueryClass;
  readonly temporal_state: TemporalState;
  readonly mode: GateMode;
  /** The profile's `ranking_min_similarity` where it is a second floor, 0 to 1; null where it does not apply. */
  readonly profile_floor: number | null;
  readonly limit: number;
  /** One hit that reaches the threshold lets the others in (`gate_mode: open`). */
  readonly opens: boolean;
}

type Floor = Pick<Gate, "threshold" | "source" | "reason" | "profile_floor">;

/**
 * The gate of one request, decided before any data is read. A request's threshold beats every other floor; then the
 * recall bypasses; then the configured threshold. From design.md, "The gate".
 *
 * @throws invalid_request for a threshold outside [0, 1], or together with `strict` or `off`
 */
export function resolveGate(request: GateRequest, policy: GatePolicy): Gate {
  const classification = classifyQuery(request.query);
  return {
    ...resolveFloor(request, policy, classification),
    ...classification,
    mode: request.gate_mode,
    limit: request.limit ?? policy.limits[classification.query_class],
    opens: request.gate_mode === "open",
  };
}

function resolveFloor(request: GateRequest, policy: GatePolicy, classification: QueryClassification): Floor {
  const { threshold, gate_mode: mode } = request;
  if (threshold !== undefined) {
    checkThreshold(threshold, mode);
    return { threshold, source: "request", reason: "caller_threshold", profile_floor: null };
  }
  if (mode === "off") return { threshold: null, source: "bypass", reason: "gate_off", profile_floor: null };

  const config = { threshold: clamp01(policy.similarity_threshold), source: "config" } as const;
  const profileFloor = clamp01(policy.profile.ranking_min_similarity);
  if (mode === "strict") return { ...config, reason: "strict_mode", profile_floor: profileFloor };
  if (mode === "open") return { ...config, reason: "direct_query_default", profile_floor: null };

  const bypass = recallBypass(request, classification);
  if (bypass !== null) return { threshold: null, source: "bypass", reason: bypass, profile_floor: null };
  return { ...config, reason: "direct_query_default", profile_floor: profileFloor };
}

function checkThreshold(threshold: number, mode: GateMode): void {
  if (mode === "strict" || mode === "off") {
    throw invalidField("threshold", `cannot be combined with gate_mode ${mode}`);
  }
  if (!(threshold >= 0 && threshold <= 1)) throw invalidField("threshold", "must be a number from 0 to 1");
}

/** Why a request in auto mode asks for recall rather than precision, the first reason that applies; null if none. */
function recallBypass(request: GateRequest, classification: QueryClassification): GateReason | null {
  if (request.as_of !== undefined && request.as_of !== null) return "as_of_query";
  if (request.source_site !== undefined && request.source_site !== null) return "source_site_filter";
  if (classification.temporal_state !== null) return "temporal_state_query";
  const { query_class: queryClass } = classification;
  if (queryClass === "simple" || queryClass === "medium") return null;
  return `recall_oriented_${queryClass}_query`;
}
