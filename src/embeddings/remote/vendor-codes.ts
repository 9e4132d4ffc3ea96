import { type FailureKind, memberOf } from "../batching/provider-failure.js";

/**
 * Codes by which servers say that a request holds too many texts, or too many tokens in all of them together. Compared
 * whole: a message that mentions such a thing counts for nothing.
 */
const TOO_MANY_ITEMS = new Set([
  // OpenAI
  "array_above_max_length",
  "max_tokens_per_request",
  // Mistral: "too many tokens overall, split into more batches"
  "3210",
  // FastAPI servers (pydantic 2 and 1) on a list that is too long
  "too_long",
  "value_error.list.max_items",
  // gateways and servers of one's own
  "too_many_items",
  "too_many_inputs",
  "too_many_texts",
  "array_too_long",
  "batch_too_large",
  "batch_size_exceeded",
  "max_batch_size_exceeded",
  "request_too_large",
  "payload_too_large",
]);

const CONTEXT_TOO_LONG = new Set([
  // OpenAI, and what speaks its protocol
  "context_length_exceeded",
  "string_above_max_length",
  // llama.cpp
  "exceed_context_size_error",
  // pydantic
  "string_too_long",
  "value_error.any_str.max_length",
]);

/** Parameters that come from the settings and not from a text. */
const OUR_SETTINGS = new Set(["model", "dimensions", "output_dimension", "encoding_format", "input_type"]);

const CODE_FIELDS = ["code", "type", "error_type", "error_code", "reason"];

/** What the structured fields of a refusal say; undefined where they say nothing that is known. */
export function readVendorCode(body: unknown): FailureKind | undefined {
  const parts = partsOf(body);
  const codes = parts.flatMap((part) => CODE_FIELDS.map((field) => codeOf(memberOf(part, field))));
  if (codes.some((code) => TOO_MANY_ITEMS.has(code))) return "too_many_items";
  if (codes.some((code) => CONTEXT_TOO_LONG.has(code))) return "context_too_long";
  return parts.some((part) => OUR_SETTINGS.has(codeOf(memberOf(part, "param")))) ? "denied" : undefined;
}

/** The body and the objects in which servers put their errors. */
function partsOf(body: unknown): unknown[] {
  const nested = ["error", "detail", "details", "errors"].map((field) => memberOf(body, field));
  return [body, ...nested.flatMap((part) => (Array.isArray(part) ? (part as unknown[]) : [part]))];
}

/** A code in one spelling: `TooManyItems`, `too-many-items` and `TOO_MANY_ITEMS` are the same. */
function codeOf(value: unknown): string {
  if (typeof value !== "string" && typeof value !== "number") return "";
  return String(value)
    .replaceAll(/([a-z])([A-Z])/g, "$1_$2")
    .replaceAll("-", "_")
    .toLowerCase();
}
