import { setTimeout as sleep } from "node:timers/promises";
import { BacklogError, type Services } from "../services/index.js";

/** Where the loop says what happens to it. */
export interface BacklogLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}

export interface BacklogOptions {
  readonly log: BacklogLog;
  /** How often to look without being woken, in ms: another process may have left work behind. */
  readonly idleMs?: number;
  /** Pause after a failure, in ms: doubled each time from `first` to `most`. */
  readonly pauseMs?: { readonly first: number; readonly most: number };
}

export interface Backlog {
  /** There may be work. */
  wake(): void;
  /** Ends after the batch in hand. */
  stop(): Promise<void>;
}

/** Embeds what writes left pending, batch by batch, for as long as the process lives. */
export function startEmbedBacklog(services: Pick<Services, "embedPending">, options: BacklogOptions): Backlog {
  const { log, idleMs = 15_000, pauseMs = { first: 1_000, most: 60_000 } } = options;
  const stopping = new AbortController();
  const stopped = (): boolean => stopping.signal.aborted;
  let waking = new AbortController();

  /** Goes once through the scopes that have a backlog; resolves with what happened in it. */
  const goRound = async (): Promise<{ embedded: number; steps: number; failure: unknown }> => {
    const round = { embedded: 0, steps: 0, failure: undefined as unknown };
    for (let after = 0; !stopped();) {
      try {
        const step = await services.embedPending(stopping.signal, after);
        if (step === null) return round;
        after = step.scopeId;
        round.embedded += step.embedded;
      } catch (error) {
        if (!(error instanceof BacklogError)) return { ...round, failure: error };
        after = error.scopeId;
        round.failure = error;
      }
      round.steps += 1;
    }
    return round;
  };

  const run = async (): Promise<void> => {
    let failures = 0;
    while (!stopped()) {
      waking = new AbortController();
      const { embedded, steps, failure } = await goRound();
      if (embedded > 0) log.info({ embedded }, "embedded pending memories");
      if (stopped()) return;
      if (failure !== undefined && embedded === 0) {
        const pause = Math.min(pauseMs.first * 2 ** failures, pauseMs.most);
        failures += 1;
        log.warn({ err: failure, pause }, "pending memories could not be embedded");
        // A write does not cut this pause short: the provider is down, and every write would knock again.
        await rest(pause, stopping.signal);
      } else {
        failures = 0;
        if (steps === 0) await rest(idleMs, AbortSignal.any([stopping.signal, waking.signal]));
      }
    }
  };

  const running = run();
  return {
    wake: () => {
      waking.abort();
    },
    stop: async () => {
      stopping.abort(new Error("shutting down"));
      await running;
    },
  };
}

/** Waits `ms`, or less when the signal says so. */
async function rest(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
