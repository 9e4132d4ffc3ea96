import { EmbeddingError } from "./embedding-error.js";
import type { Purpose, EmbeddingEndpoint } from "./provider.js";
import type { BatchingReceipt } from "./receipt.js";

export const BATCH_SIZE_DEFAULT = 32;
export const MAX_REQUEST_BYTES_DEFAULT = 262_144;
export const RETRIES_DEFAULT = 2;
export const TIMEOUT_MS_DEFAULT = 30_000;
/** A `Retry-After` beyond this is no pause but a refusal. */
export const LONGEST_PAUSE_MS_DEFAULT = 60_000;

export interface BatchingOptions {
  /** Default `document`. */
  readonly purpose?: Purpose | undefined;
  /** Texts in one request at most, default 32; the provider's own cap holds too. */
  readonly batchSize?: number | undefined;
  /** Bytes of the JSON of one request at most, default 262,144. */
  readonly maxRequestBytes?: number | undefined;
  /** UTF-16 units of a text beyond which it is cut; default: the provider's. */
  readonly maxChars?: number | undefined;
  /** Dimensions that every vector must have; default: that all of a run agree. */
  readonly dimensions?: number | undefined;
  /** Further attempts after one that failed for the time being, default 2. */
  readonly retries?: number | undefined;
  /** Longest time for one request, in ms, default 30,000; null: none. */
  readonly timeoutMs?: number | null | undefined;
  /** Longest time for the whole run, in ms; default four timeouts and 10 s per planned batch; null: none. */
  readonly deadlineMs?: number | null | undefined;
  /** Longest `Retry-After` that is waited for, in ms, default 60,000. */
  readonly longestPauseMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called once when a planned run is over, whether it succeeded, failed or was aborted; never for a custom provider. */
  readonly onReceipt?: ((receipt: BatchingReceipt) => void) | undefined;
}

/** The same with everything decided and checked. */
export interface RunRules {
  readonly purpose: Purpose;
  readonly batchSize: number;
  readonly maxRequestBytes: number;
  readonly limitSource: "default" | "caller";
  readonly maxChars: number | undefined;
  readonly dimensions: number | undefined;
  readonly retries: number;
  readonly timeoutMs: number | null;
  readonly deadlineMs: number | null | undefined;
  readonly longestPauseMs: number;
}

/** @throws EmbeddingError `invalid_options` naming the first ceiling that is none. */
export function rulesOf(endpoint: EmbeddingEndpoint, options: BatchingOptions): RunRules {
  const { batchSize = BATCH_SIZE_DEFAULT, maxRequestBytes, retries = RETRIES_DEFAULT } = options;
  const { timeoutMs = TIMEOUT_MS_DEFAULT, longestPauseMs = LONGEST_PAUSE_MS_DEFAULT, deadlineMs } = options;
  const maxChars = options.maxChars ?? endpoint.maxChars;
  checkIntegers(
    { batchSize, maxRequestBytes, maxChars, dimensions: options.dimensions, maxItems: endpoint.maxItems },
    1,
  );
  checkIntegers({ retries }, 0);
  checkTimes({ timeoutMs, deadlineMs, longestPauseMs });
  return {
    ...{ purpose: options.purpose ?? "document", maxChars, dimensions: options.dimensions, retries },
    ...{ timeoutMs, deadlineMs, longestPauseMs },
    batchSize: Math.min(batchSize, endpoint.maxItems),
    maxRequestBytes: maxRequestBytes ?? MAX_REQUEST_BYTES_DEFAULT,
    limitSource: maxRequestBytes === undefined ? "default" : "caller",
  };
}

function checkIntegers(values: Readonly<Record<string, number | undefined>>, least: number): void {
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || (Number.isSafeInteger(value) && value >= least)) continue;
    throw invalidOption(name, value, `a whole number from ${String(least)}`);
  }
}

function checkTimes(values: Readonly<Record<string, number | null | undefined>>): void {
  for (const [name, value] of Object.entries(values)) {
    if (value == null || (Number.isFinite(value) && value > 0)) continue;
    throw invalidOption(name, value, "a positive number of ms");
  }
}

function invalidOption(name: string, value: number, allowed: string): EmbeddingError {
  return new EmbeddingError("invalid_options", `${name} is ${String(value)}, allowed is ${allowed}`);
}
