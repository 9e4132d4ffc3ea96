import type { Gate } from "./resolve-gate.js";

export const VERDICTS = ["relevant", "nothing_relevant", "store_empty"] as const;
export const DECISION_STAGES = ["gate", "profile_floor", "limit"] as const;
export const DECISION_REASONS = [
  "meets_threshold",
  "below_threshold",
  "gate_bypassed",
  "gate_off",
  "opened",
  "below_profile_floor",
  "over_limit",
] as const;

/** What the best considered hit says at the configured floor, whatever floor the request had. */
export type Verdict = (typeof VERDICTS)[number];
/** The stage that decided. */
export type DecisionStage = (typeof DECISION_STAGES)[number];
export type DecisionReason = (typeof DECISION_REASONS)[number];

/** What the gate looks at; hits may have more. */
export interface Scored {
  readonly id: string;
  /** 0 to 1, as shown to the caller. */
  readonly relevance: number;
  /** Lexical coverage q, 0 to 1; see bm25.ts. */
  readonly coverage: number;
}

/** Why one considered hit is in or out. */
export interface Decision {
  readonly id: string;
  readonly decision: "kept" | "dropped";
  readonly stage: DecisionStage;
  readonly reason: DecisionReason;
}

export interface GateContext {
  /** SIMILARITY_THRESHOLD, 0 to 1: the verdict's floor. */
  readonly config_threshold: number;
  /** The scope has no current memory that is visible to the caller. */
  readonly storeEmpty: boolean;
}

export interface Gated<T extends Scored> {
  /** At most `gate.limit`, in the order of the hits. */
  readonly kept: T[];
  /** One for every hit, in the order of the hits. */
  readonly decisions: Decision[];
  readonly verdict: Verdict;
}

/**
 * Applies a gate to hits in their final ranking order, last and once: threshold, then profile floor, then limit. Kept
 * at the gate ⇔ relevance ≥ threshold; a relevance that is not a number never passes. From design.md, "The gate".
 */
export function applyGate<T extends Scored>(gate: Gate, hits: readonly T[], context: GateContext): Gated<T> {
  const opened = gate.opens && hits.some((hit) => hit.relevance >= (gate.threshold ?? 0));
  const kept: T[] = [];
  const decisions: Decision[] = [];
  for (const hit of hits) {
    const decision = decide(hit, { gate, opened, full: kept.length >= gate.limit });
    if (decision.decision === "kept") kept.push(hit);
    decisions.push(decision);
  }
  return { kept, decisions, verdict: reachVerdict(hits, context) };
}

function decide(hit: Scored, state: { gate: Gate; opened: boolean; full: boolean }): Decision {
  const { id } = hit;
  const reason = passReason(hit, state.gate, state.opened);
  if (reason === null) return { id, decision: "dropped", stage: "gate", reason: "below_threshold" };
  if (isBelowProfileFloor(hit, state.gate)) {
    return { id, decision: "dropped", stage: "profile_floor", reason: "below_profile_floor" };
  }
  if (state.full) return { id, decision: "dropped", stage: "limit", reason: "over_limit" };
  return { id, decision: "kept", stage: "gate", reason };
}

/** Why a hit passes the threshold; null if it does not. */
function passReason(hit: Scored, gate: Gate, opened: boolean): DecisionReason | null {
  if (Number.isNaN(hit.relevance)) return null;
  if (gate.threshold === null) return gate.mode === "off" ? "gate_off" : "gate_bypassed";
  if (hit.relevance >= gate.threshold) return "meets_threshold";
  return opened ? "opened" : null;
}

/** A hit whose words alone reach the gate's threshold is never below the profile's floor. */
function isBelowProfileFloor(hit: Scored, gate: Gate): boolean {
  if (gate.profile_floor === null || hit.relevance >= gate.profile_floor) return false;
  return gate.threshold === null || hit.coverage < gate.threshold;
}

function reachVerdict(hits: readonly Scored[], context: GateContext): Verdict {
  if (hits.some((hit) => hit.relevance >= context.config_threshold)) return "relevant";
  return hits.length === 0 && context.storeEmpty ? "store_empty" : "nothing_relevant";
}
