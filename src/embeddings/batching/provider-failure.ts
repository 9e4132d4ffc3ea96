/**
 * What went wrong with one request:
 * - `payload_too_large`, `too_many_items`: fewer texts may pass
 * - `timeout`: no answer in time, by our clock
 * - `transient`: may pass by itself
 * - `context_too_long`: a text is longer than the model takes
 * - `refused`: the texts are not accepted
 * - `denied`: the key, the model, the address or another setting is not accepted
 * - `bad_reply`: an answer that cannot be right
 */
export type FailureKind =
  | "payload_too_large"
  | "too_many_items"
  | "timeout"
  | "transient"
  | "context_too_long"
  | "refused"
  | "denied"
  | "bad_reply";

interface FailureDetails {
  /** How long the server asked us to stay away, in ms. */
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/** One failed request. The message may be shown to callers: it names provider and status, never key, URL or text. */
export class ProviderFailure extends Error {
  readonly retryAfterMs: number | undefined;

  constructor(
    readonly kind: FailureKind,
    message: string,
    details: FailureDetails = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = "ProviderFailure";
    this.retryAfterMs = details.retryAfterMs;
  }
}

/** Statuses that may pass by themselves; every 5xx as well. */
const TRANSIENT_STATUSES = new Set([408, 409, 425, 429]);

/** The kind of a failed HTTP request by its status alone. */
export function kindOfStatus(status: number): FailureKind {
  if (status >= 500 || TRANSIENT_STATUSES.has(status)) return "transient";
  if (status === 413) return "payload_too_large";
  return status === 400 || status === 422 ? "refused" : "denied";
}

/** Codes of Node and undici for a connection that could not be made or broke. */
const NETWORK_CODE = /^(E(CONN|HOST|NET|PIPE|TIMEDOUT|AI_AGAIN|NOTFOUND)|ENOTFOUND|UND_ERR_)/;

/** What a custom provider threw, as a failure: by its `status` or its network `code`, else final. */
export function asProviderFailure(error: unknown, provider: string): ProviderFailure {
  if (error instanceof ProviderFailure) return error;
  const status = memberOf(error, "status");
  if (typeof status === "number") {
    return new ProviderFailure(kindOfStatus(status), `${provider} answered ${String(status)}`, { cause: error });
  }
  const codes = [memberOf(error, "code"), memberOf(memberOf(error, "cause"), "code")];
  const network = codes.some((code) => typeof code === "string" && NETWORK_CODE.test(code));
  if (network) return new ProviderFailure("transient", `${provider} could not be reached`, { cause: error });
  return new ProviderFailure("denied", `${provider} failed`, { cause: error });
}

/** `value[key]` of anything; undefined when there is none. */
export function memberOf(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return (value as Record<string, unknown>)[key];
}
