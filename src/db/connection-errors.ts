import { MemgateError } from "../core/errors.js";
import { sqlState } from "./sql-state.js";

/**
 * SQLSTATEs that say "not now": connection exceptions, shutdown and start-up, too many connections, and those with which
 * a server turns a login away (credentials, no such database, one that takes no connections).
 */
const STATES = /^(08...|57P0[1-5]|53300|28...|3D000|55000)$/;
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

/** By its fields, not `instanceof`: what the network throws may come from another realm than ours. */
function isConnectionError(error: unknown): boolean {
  if (typeof error !== "object" || error === null) return false;
  const { code, message } = error as { code?: unknown; message?: unknown };
  return (
    STATES.test(sqlState(error) ?? "") ||
    (typeof code === "string" && NETWORK.has(code)) ||
    (typeof message === "string" && MESSAGES.test(message))
  );
}
