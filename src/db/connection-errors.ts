import { MemgateError } from "../core/errors.js";
import { sqlState } from "./sql-state.js";

/** SQLSTATE classes and codes that say "not now": connection exceptions, shutdown and start-up, too many connections. */
const STATES = /^(08...|57P0[1-4]|53300)$/;
const NETWORK = new Set(["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH"]);
/** What `pg` says without a code. */
const MESSAGES =
  /connection terminated|timeout exceeded when trying to connect|client has encountered a connection error/i;

/** Turns a lost or refused connection into `database_unavailable`; any other error stays as it is. */
export function asDatabaseError(error: unknown): unknown {
  return isConnectionError(error)
    ? new MemgateError("database_unavailable", "the database does not answer", { cause: error })
    : error;
}

function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  return STATES.test(sqlState(error) ?? "") || NETWORK.has(code) || MESSAGES.test(error.message);
}
