import { METADATA_MAX_BYTES, METADATA_MAX_DEPTH } from "../../core/limits.js";
import type { JsonObject } from "../../core/memory.js";
import { z } from "../zod.js";

/** An object of the caller's own; kept as it is, its keys in the database's order. */
export const Metadata = z
  .unknown()
  .superRefine((value, context) => {
    const fault = objectFault(value);
    if (fault !== undefined) context.addIssue({ code: "custom", message: fault.message, path: fault.path });
  })
  .transform((value) => value as JsonObject)
  .openapi({
    type: "object",
    additionalProperties: true,
    description: `At most ${String(METADATA_MAX_BYTES)} bytes as JSON; integers within ±(2^53 − 1).`,
  });

/** What is wrong with a JSON value, and where in it. */
export interface Fault {
  readonly path: (string | number)[];
  readonly message: string;
}

function objectFault(value: unknown): Fault | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return { path: [], message: "must be an object" };
  const inside = valueFault(value, []);
  if (inside !== undefined) return inside;
  const bytes = Buffer.byteLength(JSON.stringify(value));
  if (bytes <= METADATA_MAX_BYTES) return undefined;
  return { path: [], message: `must be at most ${String(METADATA_MAX_BYTES)} bytes as JSON, not ${String(bytes)}` };
}

/** The first fault of a value; undefined when there is none. */
export function valueFault(value: unknown, path: (string | number)[]): Fault | undefined {
  if (typeof value === "number") return numberFault(value, path);
  if (typeof value === "string") return stringFault(value, path);
  if (typeof value !== "object" || value === null) return undefined;
  if (path.length >= METADATA_MAX_DEPTH)
    return { path, message: `must not be nested deeper than ${String(METADATA_MAX_DEPTH)} levels` };
  const entries: [string | number, unknown][] = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  for (const [key, inner] of entries) {
    const fault = (typeof key === "string" ? stringFault(key, path) : undefined) ?? valueFault(inner, [...path, key]);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** JSON.parse has rounded by now: an integer beyond 2^53 may be another one than the caller wrote. */
function numberFault(value: number, path: (string | number)[]): Fault | undefined {
  if (!Number.isFinite(value)) return { path, message: "must be a finite number" };
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    return { path, message: "must be within ±(2^53 − 1): send larger integers as strings" };
  }
  return undefined;
}

function stringFault(value: string, path: (string | number)[]): Fault | undefined {
  if (value.includes("\u0000")) return { path, message: "must not contain a NUL character" };
  return value.isWellFormed() ? undefined : { path, message: "must not contain a lone surrogate" };
}
