/** What a run did. It holds no text, no credentials and no address. */
export interface BatchingReceipt {
  /** Requests that were planned before the first one was sent. */
  readonly planned_batches: number;
  /** Requests that were sent, retries and failed ones included. */
  readonly requests: number;
  readonly successful_batches: number;
  readonly split_batches: number;
  readonly retries: number;
  /** Successful requests by their number of unique texts. */
  readonly batch_size_histogram: Readonly<Record<string, number>>;
  /** Pauses included. */
  readonly elapsed_ms: number;
  /** Inputs that got their vector, duplicates included, per second; for a failed run those until it failed. */
  readonly inputs_per_second: number;
  readonly provider: string;
  readonly model: string;
  readonly max_request_bytes: number;
  readonly limit_source: "default" | "caller";
  readonly truncated_inputs: number;
  readonly deduplicated_inputs: number;
}

/** What is known of a run besides its requests. */
type RunFacts = Pick<
  BatchingReceipt,
  | "planned_batches"
  | "provider"
  | "model"
  | "max_request_bytes"
  | "limit_source"
  | "truncated_inputs"
  | "deduplicated_inputs"
>;

/** Counts while a run goes on. */
export class RunTally {
  requests = 0;
  splits = 0;
  retries = 0;
  private successes = 0;
  private readonly sizes = new Map<number, number>();
  private readonly start = performance.now();

  succeed(size: number): void {
    this.successes += 1;
    this.sizes.set(size, (this.sizes.get(size) ?? 0) + 1);
  }

  /** The receipt at this moment. */
  close(facts: RunFacts, embeddedInputs: number): BatchingReceipt {
    // At least a microsecond, so that a rate exists.
    const elapsed = Math.max(performance.now() - this.start, 0.001);
    return {
      requests: this.requests,
      successful_batches: this.successes,
      split_batches: this.splits,
      retries: this.retries,
      batch_size_histogram: Object.fromEntries([...this.sizes].sort(([a], [b]) => a - b)),
      elapsed_ms: elapsed,
      inputs_per_second: (1000 * embeddedInputs) / elapsed,
      ...facts,
    };
  }
}
