import { randomBytes } from "node:crypto";

/** A name that no other test uses: every test takes a tenant, user or workspace of its own, so nothing is truncated. */
export function uniqueName(prefix: string): string {
  return `${prefix}-${randomBytes(6).toString("hex")}`;
}
