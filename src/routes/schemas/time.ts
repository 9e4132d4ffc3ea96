import { z } from "../zod.js";

const FIRST = Date.parse("0001-01-01T00:00:00.000Z");
const LAST = Date.parse("9999-12-31T23:59:59.999Z");

/** RFC 3339 with a zone, from the year 1 to 9999; kept to the millisecond. */
export const Time = z.iso
  .datetime({ offset: true, error: "must be a time as of RFC 3339 with a zone, such as 2026-11-30T12:00:00Z" })
  .transform((value) => new Date(value))
  .refine((time) => time.getTime() >= FIRST && time.getTime() <= LAST, "must be within the years 1 to 9999")
  .openapi({ format: "date-time" });

/** A time in a reply: UTC with milliseconds. */
export const TimeReply = z.iso.datetime().openapi({ format: "date-time" });
