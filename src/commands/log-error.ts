import { sqlState } from "../db/sql-state.js";

/**
 * What the log keeps of an error. A database error's message, detail and statement may quote what somebody stored, so of
 * one only its code, place and names of the schema are kept.
 */
export function logError(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error };
  const frames = error.stack
    ?.split("\n")
    .filter((line) => line.startsWith("    at "))
    .join("\n");
  const cause = error.cause === undefined ? {} : { cause: logError(error.cause) };
  if (sqlState(error) === undefined) return { type: error.name, message: error.message, stack: frames, ...cause };
  const { code, table, column, constraint, routine } = error as Error & Record<string, unknown>;
  return { type: "DatabaseError", code, table, column, constraint, routine, stack: frames, ...cause };
}
