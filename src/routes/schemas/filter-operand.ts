import type { FieldKind, FilterScalar } from "../../core/filter-tree.js";
import { FILTER_ICONTAINS_MAX_BYTES, FILTER_TEXT_MAX_BYTES } from "../../core/limits.js";
import { REVIEWS, VISIBILITIES } from "../../core/memory.js";
import type { FilterOperator } from "./filter-operators.js";
import { valueFault } from "./metadata.js";
import { Time } from "./time.js";

/** What a field is compared with; or what is wrong with it. */
export type Operand = { readonly value: FilterScalar } | { readonly fault: string };

/** What the operand of an operator that takes one scalar has to be. */
export interface OperandOf {
  readonly kind: FieldKind | "metadata";
  readonly operator: FilterOperator;
  /** Of the memory's own; `metadata` for those. */
  readonly field: string;
}

/** A scalar as an operator of a field takes it. */
export function readOperand(value: unknown, of: OperandOf): Operand {
  const wanted = wantedTypes(of);
  if (!wanted.includes(typeOf(value))) return { fault: `must be ${wanted.join(", ").replace(/, ([^,]*)$/, " or $1")}` };
  const fault = valueFault(value, [])?.message ?? (typeof value === "string" ? textFault(value, of) : undefined);
  if (fault !== undefined) return { fault };
  return of.kind === "time" ? readTime(value) : { value: value as FilterScalar };
}

function wantedTypes({ kind, operator }: OperandOf): string[] {
  if (kind === "number") return ["a number"];
  if (kind !== "metadata" || operator === "icontains") return ["a string"];
  if (["gt", "gte", "lt", "lte"].includes(operator)) return ["a number", "a string"];
  return ["a string", "a number", "a boolean", "null"];
}

function typeOf(value: unknown): string {
  return value === null ? "null" : `a ${typeof value}`;
}

const CHOICES: Readonly<Record<string, readonly string[]>> = { visibility: VISIBILITIES, review: REVIEWS };

function textFault(value: string, { kind, operator, field }: OperandOf): string | undefined {
  const choices = CHOICES[field] ?? [];
  if (kind === "choice" && !choices.includes(value)) return `must be one of ${choices.join(", ")}`;
  // Every text holds the empty one: a deletion by it would take everything.
  if (value === "" && (operator === "contains" || operator === "icontains")) return "must not be empty";
  const max = operator === "icontains" ? FILTER_ICONTAINS_MAX_BYTES : FILTER_TEXT_MAX_BYTES;
  const bytes = Buffer.byteLength(value);
  return bytes > max ? `must be at most ${String(max)} bytes of UTF-8, not ${String(bytes)}` : undefined;
}

function readTime(value: unknown): Operand {
  const time = Time.safeParse(value);
  return time.success ? { value: time.data } : { fault: time.error.issues[0]?.message ?? "must be a time" };
}
