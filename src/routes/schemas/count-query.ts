import { z } from "../zod.js";

/** A whole number in a query string. */
export function countQuery(min: number, max: number, fallback: number) {
  const message = `must be a whole number from ${String(min)} to ${String(max)}`;
  return z
    .string()
    .regex(/^\d{1,6}$/, message)
    .transform(Number)
    .refine((value) => value >= min && value <= max, message)
    .default(fallback)
    .openapi({ type: "integer", minimum: min, maximum: max, default: fallback });
}
