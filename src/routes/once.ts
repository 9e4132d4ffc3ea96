import type { IncomingHttpHeaders } from "node:http";
import { invalidField } from "../core/errors.js";
import type { OnceRequest } from "../services/index.js";

const KEY = /^[\x21-\x7e]{1,256}$/;

/** The OpenAPI text of the header that every write takes. */
export const IDEMPOTENCY_KEY = {
  "Idempotency-Key":
    "1 to 256 visible characters. The same command under the same key is done once: later calls get the first reply, with `Idempotency-Replayed: true`.",
};

/**
 * The command of a write that has an Idempotency-Key; undefined without one.
 * `command` is all that the request asks for, parsed, so that the order of keys does not matter.
 */
export function onceOf(headers: IncomingHttpHeaders, operation: string, command: object): OnceRequest | undefined {
  const key = headers["idempotency-key"];
  if (key === undefined) return undefined;
  if (typeof key !== "string" || !KEY.test(key))
    throw invalidField("Idempotency-Key", "must be 1 to 256 visible ASCII characters");
  return { key, operation, command: { ...command, if_match: headers["if-match"] } };
}

/** The header of a reply that an earlier command produced. */
export function replayHeader(replayed: boolean): Record<string, string> {
  return replayed ? { "Idempotency-Replayed": "true" } : {};
}
