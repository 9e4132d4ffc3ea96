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
  /** Ends after the batches in hand. */
  stop(): Promise<void>;
}

interface Lane {
  readonly services: Pick<Services, "embedPending">;
  readonly spaceId: number;
  readonly options: Required<BacklogOptions>;
  /** Of the process. */
  readonly stopping: AbortSignal;
  /** Whether the space is still to be filled. */
  wanted(): boolean;
  /** A signal that aborts when there may be work. */
  woken(): AbortSignal;
}

/**
 * Embeds what writes left pending, batch by batch, for as long as the process lives: each space by itself, so that one
 * whose provider is slow or down holds no other up.
 */
export function startEmbedBacklog(
  services: Pick<Services, "embedPending" | "spacesToFill">,
  { log, idleMs = 15_000, pauseMs = { first: 1_000, most: 60_000 } }: BacklogOptions,
): Backlog {
  const stopping = new AbortController();
  const wakers = new Set<AbortController>();
  const lanes = new Map<number, Promise<void>>();
  let wanted: readonly number[] = [];

  const waker = (): (() => AbortSignal) => {
    let current = new AbortController();
    return () => {
      wakers.delete(current);
      wakers.add((current = new AbortController()));
      return current.signal;
    };
  };
  const open = (spaceId: number): void => {
    const options = { log, idleMs, pauseMs };
    const lane = { services, spaceId, options, stopping: stopping.signal, woken: waker() };
    const running = fillSpace({ ...lane, wanted: () => wanted.includes(spaceId) });
    lanes.set(
      spaceId,
      running.finally(() => lanes.delete(spaceId)),
    );
  };
  const supervise = async (): Promise<void> => {
    const woken = waker();
    while (!stopping.signal.aborted) {
      const signal = AbortSignal.any([stopping.signal, woken()]);
      try {
        wanted = await services.spacesToFill();
        for (const spaceId of wanted) if (!lanes.has(spaceId)) open(spaceId);
        await rest(idleMs, signal);
      } catch (error) {
        log.warn({ err: error, pause: pauseMs.first }, "the embedding spaces could not be read");
        await rest(pauseMs.first, stopping.signal);
      }
    }
  };

  const running = supervise();
  return {
    wake: () => {
      for (const each of wakers) each.abort();
    },
    stop: async () => {
      stopping.abort(new Error("shutting down"));
      await running;
      await Promise.all(lanes.values());
    },
  };
}

async function fillSpace(lane: Lane): Promise<void> {
  const { spaceId, stopping, options } = lane;
  const { log, pauseMs } = options;
  const stopped = (): boolean => stopping.aborted;
  let failures = 0;
  while (!stopped() && lane.wanted()) {
    const woken = lane.woken();
    const { embedded, steps, failure } = await goRound(lane);
    if (embedded > 0) log.info({ spaceId, embedded }, "embedded pending memories");
    if (stopped()) return;
    if (failure !== undefined && embedded === 0) {
      const pause = Math.min(pauseMs.first * 2 ** failures, pauseMs.most);
      failures += 1;
      log.warn({ err: failure, spaceId, pause }, "pending memories could not be embedded");
      // A write does not cut this pause short: the provider is down, and every write would knock again.
      await rest(pause, stopping);
    } else {
      failures = 0;
      if (steps === 0) await rest(options.idleMs, AbortSignal.any([stopping, woken]));
    }
  }
}

/** Goes once through the scopes that have a backlog in the space; resolves with what happened in it. */
async function goRound(lane: Lane): Promise<{ embedded: number; steps: number; failure: unknown }> {
  const { services, spaceId, stopping } = lane;
  const round = { embedded: 0, steps: 0, failure: undefined as unknown };
  for (let after = 0; !stopping.aborted;) {
    try {
      const step = await services.embedPending(stopping, { spaceId, after });
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
}

/** Waits `ms`, or less when the signal says so. */
async function rest(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
