import { createHash } from "node:crypto";
import { invalidCursor } from "../core/errors.js";

/** A place in a listing. */
export interface Position {
  readonly createdAt: Date;
  readonly id: string;
}

/** An opaque cursor that only continues the listing that it came from. `listing` is what must stay the same. */
export function writeCursor(position: Position, listing: unknown): string {
  return Buffer.from(JSON.stringify([1, position.createdAt.getTime(), position.id, digest(listing)])).toString(
    "base64url",
  );
}

/** Throws `invalid_cursor` for one that is broken or comes from a listing with another scope or other filters. */
export function readCursor(cursor: string, listing: unknown): Position {
  const parts = parse(cursor);
  if (parts === undefined) throw invalidCursor("cursor", "the cursor is not one of this API");
  if (parts.digest !== digest(listing))
    throw invalidCursor("cursor", "the cursor belongs to a listing with another scope or other filters");
  return { createdAt: new Date(parts.createdAt), id: parts.id };
}

function parse(cursor: string): { createdAt: number; id: string; digest: string } | undefined {
  try {
    const parts = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8")) as unknown;
    if (!Array.isArray(parts)) return undefined;
    const [version, createdAt, id, listing] = parts as unknown[];
    const known =
      version === 1 && Number.isSafeInteger(createdAt) && typeof id === "string" && typeof listing === "string";
    if (!known || !UUID.test(id) || Math.abs(createdAt as number) > LAST_TIME) return undefined;
    return { createdAt: createdAt as number, id, digest: listing };
  } catch {
    return undefined;
  }
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const LAST_TIME = Date.parse("9999-12-31T23:59:59.999Z");

function digest(listing: unknown): string {
  return createHash("sha256").update(JSON.stringify(listing)).digest("base64url").slice(0, 16);
}
