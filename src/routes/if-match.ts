import type { IncomingHttpHeaders } from "node:http";
import { invalidField } from "../core/errors.js";

/** The OpenAPI text of the header. */
export const IF_MATCH = { "If-Match": "The ETag that the memory must have." };

/** The ETag of a revision. */
export function etag(revision: number): string {
  return `"${String(revision)}"`;
}

/**
 * The revision that a request demands, from `expected_revision` or `If-Match`; undefined when it demands none (`*` too:
 * a memory that is not there is 404 anyway). Throws for two that differ, and for an If-Match that is no ETag of ours.
 */
export function expectedRevision(headers: IncomingHttpHeaders, parameter: number | undefined): number | undefined {
  const header = headers["if-match"];
  if (header === undefined || header.trim() === "*") return parameter;
  const revision = /^\s*"([1-9]\d{0,8})"\s*$/.exec(header)?.[1];
  if (revision === undefined) throw invalidField("If-Match", 'must be the ETag of a memory, such as "3", or *');
  if (parameter !== undefined && parameter !== Number(revision))
    throw invalidField("expected_revision", "differs from If-Match");
  return Number(revision);
}
