import { EmbeddingError, type EmbeddingErrorKind, type RefusalReason } from "./embedding-error.js";
import type { RunRules } from "./options.js";
import type { BatchPlan, BatchRange } from "./plan-batches.js";
import { type FailureKind, ProviderFailure } from "./provider-failure.js";
import type { EmbeddingEndpoint } from "./provider.js";
import type { RunTally } from "./receipt.js";
import { retrying } from "./retrying.js";
import { type ReceivedVector, sendRequest } from "./send-request.js";

/** A request with several texts that failed like this is tried again as two. */
const SPLITTING: ReadonlySet<FailureKind> = new Set(["payload_too_large", "too_many_items", "timeout"]);

interface RunParts {
  readonly endpoint: EmbeddingEndpoint;
  readonly plan: BatchPlan;
  readonly rules: RunRules;
  readonly tally: RunTally;
  /** Aborts with the caller, and when the run is out of time. */
  readonly signal: AbortSignal;
  /** How much time the run has left, in ms. */
  readonly remainingMs: () => number;
}

/** Sends the planned batches one after the other. */
export class BatchRun {
  /** By place in the plan's texts; complete once `execute` has resolved. */
  readonly received: ReceivedVector[] = [];
  private dimensions: number | undefined;

  constructor(private readonly parts: RunParts) {
    this.dimensions = parts.rules.dimensions;
  }

  /** @throws EmbeddingError of the first batch that fails for good, or the signal's reason. */
  async execute(): Promise<void> {
    for (const batch of this.parts.plan.batches) await this.embed(batch);
  }

  /** One batch; where it is too much for one request, its left half and then its right one. */
  private async embed(range: BatchRange): Promise<void> {
    const { tally } = this.parts;
    const size = range.end - range.start;
    try {
      this.received.push(...(await this.request(range)));
      tally.succeed(size);
    } catch (error) {
      if (!(error instanceof ProviderFailure)) throw error;
      if (size === 1 || !SPLITTING.has(error.kind)) throw this.describe(error, range);
      tally.splits += 1;
      const middle = range.start + Math.ceil(size / 2);
      await this.embed({ start: range.start, end: middle });
      await this.embed({ start: middle, end: range.end });
    }
  }

  private async request({ start, end }: BatchRange): Promise<ReceivedVector[]> {
    const { endpoint, plan, rules, tally, signal, remainingMs } = this.parts;
    const texts = plan.texts.slice(start, end);
    const attempt = async (number: number): Promise<ReceivedVector[]> => {
      tally.requests += 1;
      if (number > 1) tally.retries += 1;
      return await sendRequest(endpoint, texts, { ...rules, signal, dimensions: this.dimensions });
    };
    const vectors = await retrying(attempt, {
      retries: rules.retries,
      longestPauseMs: () => Math.min(rules.longestPauseMs, remainingMs()),
      isTransient: ({ kind }) => kind === "transient" || (kind === "timeout" && texts.length === 1),
      signal,
    });
    this.dimensions ??= vectors[0]?.vector.length;
    return vectors;
  }

  private describe(failure: ProviderFailure, { start, end }: BatchRange): EmbeddingError {
    const { kind, reason } = OUTCOME[failure.kind];
    const alone = end - start === 1;
    return new EmbeddingError(kind === "input_refused" && !alone ? "batch_refused" : kind, failure.message, {
      position: this.parts.plan.positions[start] ?? 0,
      ...(reason === undefined ? {} : { reason }),
      cause: failure,
    });
  }
}

/** What the failure of a request that is not split any more means for its caller. */
const OUTCOME: Readonly<Record<FailureKind, { readonly kind: EmbeddingErrorKind; readonly reason?: RefusalReason }>> = {
  payload_too_large: { kind: "input_refused", reason: "payload_too_large" },
  too_many_items: { kind: "input_refused", reason: "payload_too_large" },
  context_too_long: { kind: "input_refused", reason: "context_too_long" },
  refused: { kind: "input_refused", reason: "refused_by_provider" },
  timeout: { kind: "provider_unavailable" },
  transient: { kind: "provider_unavailable" },
  denied: { kind: "provider_unavailable" },
  bad_reply: { kind: "bad_reply" },
};
