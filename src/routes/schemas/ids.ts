import { BATCH_MAX } from "../../core/limits.js";
import { z } from "../zod.js";

/** An id in a path. One that is no UUID is as unknown as any other: 404, not 400. */
export const IdParams = z.strictObject({
  id: z.string().openapi({ format: "uuid", param: { name: "id", in: "path" } }),
});

/** An id in a body; one that is no UUID is unknown. */
export const MemoryId = z.string().max(64).openapi({ format: "uuid" });

export const Ids = z.array(MemoryId).min(1).max(BATCH_MAX);

/** {@link ExpectedRevision} in a body. */
export const ExpectedRevisionField = z
  .int()
  .min(1)
  .optional()
  .openapi({ description: "Refuse (409) unless the memory is at this revision." });

/** The revision that the caller means to change: `?expected_revision=3` or `If-Match: "3"`. */
export const ExpectedRevision = z
  .string()
  .regex(/^[1-9]\d{0,8}$/, "must be a whole number from 1")
  .transform(Number)
  .openapi({ type: "integer", minimum: 1 });
