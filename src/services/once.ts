import { canonicalJson } from "../core/canonical-json.js";
import type { Caller } from "./deps.js";
import type { TenantSecrets } from "./tenant-secrets.js";
import type { Once } from "./write-in-scope.js";

/** What a request says of a command that may be sent again. */
export interface OnceRequest {
  /** The Idempotency-Key. */
  readonly key: string;
  /** Method and route: `POST /v1/memories`. */
  readonly operation: string;
  /** All that the request asks for; never stored, only fingerprinted. */
  readonly command: unknown;
}

/**
 * Names the command and fingerprints it under the tenant's key: a bare hash would let contents be guessed. The
 * Idempotency-Key goes the same way, since it is the caller's text and outlives what is erased.
 */
export async function toOnce(
  deps: { readonly secrets: TenantSecrets },
  caller: Caller,
  request: OnceRequest | undefined,
): Promise<Once | undefined> {
  if (request === undefined) return undefined;
  const [fingerprint = ""] = await deps.secrets.hmac(caller.tenantId, "command", [canonicalJson(request.command)]);
  const [key = ""] = await deps.secrets.hmac(caller.tenantId, "idempotency_key", [request.key]);
  return { actor: caller.actor, operation: request.operation, key, fingerprint };
}
