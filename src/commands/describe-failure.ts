import { MemgateError } from "../core/errors.js";

/** What the person at the terminal reads when a command cannot go on: every line under our name, no stack. */
export function describeFailure(error: unknown): string {
  return reasonOf(error)
    .split("\n")
    .map((line) => `memgate: ${line}\n`)
    .join("");
}

function reasonOf(error: unknown): string {
  if (!(error instanceof MemgateError)) return messageOf(error);
  const { cause } = error.more;
  const because = cause === undefined ? "" : ` (${messageOf(cause)})`;
  const advice = error.code === "database_unavailable" ? ": check DATABASE_URL" : "";
  return `${error.detail}${because}${advice}`;
}

function messageOf(error: unknown): string {
  // A name with several addresses: the message is empty, and each address has its own.
  if (error instanceof AggregateError) return error.errors.map(messageOf).join(", ");
  return error instanceof Error ? error.message : String(error);
}
