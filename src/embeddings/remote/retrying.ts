import { setTimeout as sleep } from "node:timers/promises";
import pRetry from "p-retry";
import { RemoteFailure } from "./remote-failure.js";

const RETRIES = 2;
/** First pause in ms, before jitter (a factor of 1 to 2) and doubling. */
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5000;
/** A server that asks for a longer pause than this gets no retry from us: the caller's deadline is over before. */
const LONGEST_RETRY_AFTER_MS = 10_000;

/**
 * Runs `attempt` up to three times; only transient failures are tried again, after an exponential pause with jitter
 * and never before the server's `Retry-After` (up to 10 s; when it asks for more, the failure is final).
 * @throws RemoteFailure of the last attempt, or the signal's reason as soon as it aborts.
 */
export async function retrying<T>(attempt: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  try {
    return await pRetry(attempt, {
      retries: RETRIES,
      minTimeout: FIRST_PAUSE_MS,
      maxTimeout: LONGEST_PAUSE_MS,
      randomize: true,
      ...(signal === undefined ? {} : { signal }),
      shouldRetry: ({ error }) => isWorthRetrying(error),
      onFailedAttempt: ({ error, retriesLeft }) => {
        return retriesLeft > 0 && isWorthRetrying(error) ? waitAsAsked(error, signal) : undefined;
      },
    });
  } catch (error) {
    // An abort reason may be any value, and p-retry would wrap those that are not an Error.
    signal?.throwIfAborted();
    throw error;
  }
}

function isWorthRetrying(error: Error): error is RemoteFailure {
  return error instanceof RemoteFailure && error.transient && (error.retryAfterMs ?? 0) <= LONGEST_RETRY_AFTER_MS;
}

async function waitAsAsked(failure: RemoteFailure, signal: AbortSignal | undefined): Promise<void> {
  if (failure.retryAfterMs === undefined) return;
  await sleep(failure.retryAfterMs, undefined, signal === undefined ? {} : { signal });
}
