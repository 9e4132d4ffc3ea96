/** Statuses that may pass by themselves; every 5xx as well. */
const TRANSIENT_STATUSES = new Set([408, 409, 425, 429]);

interface FailureDetails {
  readonly transient: boolean;
  /** How long the server asked us to stay away, in ms. */
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/** One failed request. The message may be shown to callers: it names provider and status, never key, URL or text. */
export class RemoteFailure extends Error {
  readonly transient: boolean;
  readonly retryAfterMs: number | undefined;

  constructor(message: string, details: FailureDetails) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = "RemoteFailure";
    this.transient = details.transient;
    this.retryAfterMs = details.retryAfterMs;
  }
}

export function isTransientStatus(status: number): boolean {
  return status >= 500 || TRANSIENT_STATUSES.has(status);
}

/** Reads a `Retry-After` header (seconds or an HTTP date) as ms from `now`; undefined when absent or unreadable. */
export function parseRetryAfter(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  const seconds = Number(header);
  if (header.trim() !== "" && Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
