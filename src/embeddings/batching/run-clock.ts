import { EmbeddingError } from "./embedding-error.js";

/** The signal of one run: aborts with the caller's, or when the run is out of time. */
export class RunClock {
  private readonly controller = new AbortController();
  private readonly end: number;
  private readonly timer: NodeJS.Timeout | undefined;

  /** `deadlineMs` null: no limit. */
  constructor(
    private readonly caller: AbortSignal | undefined,
    deadlineMs: number | null,
  ) {
    this.end = performance.now() + (deadlineMs ?? Number.POSITIVE_INFINITY);
    caller?.addEventListener("abort", this.forward, { once: true });
    if (caller?.aborted === true) this.forward();
    if (deadlineMs === null) return;
    const late = new EmbeddingError(
      "provider_unavailable",
      `the embedding run did not finish within ${String(deadlineMs)} ms`,
    );
    this.timer = setTimeout(() => {
      this.controller.abort(late);
    }, deadlineMs);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  remainingMs(): number {
    return this.end - performance.now();
  }

  stop(): void {
    clearTimeout(this.timer);
    this.caller?.removeEventListener("abort", this.forward);
  }

  private readonly forward = (): void => {
    this.controller.abort(this.caller?.reason);
  };
}
