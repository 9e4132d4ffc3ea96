import type { FieldKind } from "../../core/filter-tree.js";

export const FILTER_OPERATORS = [
  "contains",
  "eq",
  "exists",
  "gt",
  "gte",
  "icontains",
  "in",
  "lt",
  "lte",
  "ne",
  "nin",
] as const;

export type FilterOperator = (typeof FILTER_OPERATORS)[number];

const ORDERED = ["eq", "ne", "gt", "gte", "lt", "lte", "in", "nin", "exists"] as const;

/** What can be asked of each kind of field. */
export const OPERATORS_OF: Readonly<Record<FieldKind | "metadata", readonly FilterOperator[]>> = {
  content: ["contains", "icontains"],
  tags: ["contains", "icontains", "exists"],
  text: [...ORDERED, "contains", "icontains"],
  number: ORDERED,
  time: ORDERED,
  choice: ["eq", "ne", "in", "nin", "exists"],
  metadata: [...ORDERED, "contains", "icontains"],
};
