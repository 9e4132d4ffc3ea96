import pg from "pg";

const INT8 = 20;

/** `pg` types the oid as an enum of the built-in types; any number is fine, and a foreign one is read as text. */
const builtIn = pg.types.getTypeParser as unknown as (oid: number, format: "text") => (text: string) => unknown;

/**
 * How values are read, the same on both databases: int8 as a number (ids and counts of ours; a hash or anything else
 * beyond 2^53 is selected as text), all else as `pg` reads it.
 */
export function parserOf(oid: number): (text: string) => unknown {
  return oid === INT8 ? safeInteger : builtIn(oid, "text");
}

function safeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) {
    throw new RangeError(`int8 ${text} does not fit a number: select it as text`);
  }
  return value;
}
