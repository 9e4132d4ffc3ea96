import { setTimeout as sleep } from "node:timers/promises";
import pRetry from "p-retry";
import { ProviderFailure } from "./provider-failure.js";

/** First pause in ms, before jitter (a factor of 1 to 2) and doubling. */
const FIRST_PAUSE_MS = 250;
const LONGEST_BACKOFF_MS = 5000;

export interface RetryRules {
  /** Further attempts after the first. */
  readonly retries: number;
  /** A server that asks for a longer pause than this, in ms, gets no retry. */
  readonly longestPauseMs: () => number;
  readonly isTransient: (failure: ProviderFailure) => boolean;
  readonly signal: AbortSignal;
}

/**
 * Runs `attempt` up to `retries + 1` times; only transient failures are tried again, after an exponential pause with
 * jitter and never before the server's `Retry-After`.
 * @throws ProviderFailure of the last attempt, or the signal's reason as soon as it aborts.
 */
export async function retrying<T>(attempt: (number: number) => Promise<T>, rules: RetryRules): Promise<T> {
  const { retries, signal } = rules;
  const isWorthIt = (error: Error): error is ProviderFailure =>
    error instanceof ProviderFailure &&
    rules.isTransient(error) &&
    (error.retryAfterMs === undefined || error.retryAfterMs <= rules.longestPauseMs());
  try {
    return await pRetry(attempt, {
      ...{ retries, minTimeout: FIRST_PAUSE_MS, maxTimeout: LONGEST_BACKOFF_MS, randomize: true, signal },
      shouldRetry: ({ error }) => isWorthIt(error),
      onFailedAttempt: async ({ error, retriesLeft }) => {
        if (retriesLeft > 0 && isWorthIt(error) && error.retryAfterMs !== undefined) {
          await sleep(error.retryAfterMs, undefined, { signal });
        }
      },
    });
  } catch (error) {
    // An abort reason may be any value, and p-retry would wrap those that are not an Error.
    signal.throwIfAborted();
    throw error;
  }
}
