import type { EmbeddedText } from "../embedder.js";
import { asEndpoint, isCustom } from "./as-endpoint.js";
import { BatchRun } from "./batch-run.js";
import { EmbeddingError } from "./embedding-error.js";
import { type BatchingOptions, rulesOf, type RunRules } from "./options.js";
import { type BatchPlan, planBatches } from "./plan-batches.js";
import type { EmbeddingEndpoint, EmbeddingProvider } from "./provider.js";
import { type BatchingReceipt, RunTally } from "./receipt.js";
import { RunClock } from "./run-clock.js";

export interface EmbeddingBatches {
  /** One per input, in order. */
  readonly embedded: EmbeddedText[];
  /** Absent for no inputs, and for a custom provider. */
  readonly receipt?: BatchingReceipt;
}

/** What each planned batch adds to the run's time, unless the caller says otherwise: longest requests, and pauses in ms. */
const TIMEOUTS_PER_BATCH = 4;
const PAUSES_PER_BATCH_MS = 10_000;

/**
 * Embeds texts by bounded requests, one after the other, each text once: all or nothing.
 *
 * Everything is planned first, so that an input that is blank or too large costs no request. A request that the
 * provider finds too large (413, or a code for too many items) or does not answer in time is split at ceil(n/2); what
 * may pass by itself (408, 409, 425, 429, 5xx, network) is tried again; all else is final at once.
 * @throws EmbeddingError with `kind`, `position` and the receipt so far, or the signal's reason when aborted.
 */
export async function executeEmbeddingBatchesWithRetry(
  provider: EmbeddingProvider,
  inputs: readonly string[],
  options: BatchingOptions = {},
): Promise<EmbeddingBatches> {
  const endpoint = asEndpoint(provider);
  const rules = rulesOf(endpoint, options);
  options.signal?.throwIfAborted();
  if (inputs.length === 0) return { embedded: [] };
  const plan = planBatches(inputs, {
    ...rules,
    size: endpoint.sizeOf(rules.purpose),
    prefix: endpoint.prefixes[rules.purpose],
  });
  const clock = new RunClock(options.signal, deadlineOf(rules, plan));
  const tally = new RunTally();
  const run = new BatchRun({
    ...{ endpoint, plan, rules, tally, signal: clock.signal },
    remainingMs: () => clock.remainingMs(),
  });
  const failure = await failureOf(run);
  clock.stop();
  const receipt = isCustom(provider) ? undefined : receiptOf({ endpoint, rules, plan, run, tally });
  if (receipt !== undefined) options.onReceipt?.(receipt);
  if (failure !== undefined) throw withReceipt(failure.error, receipt, options.signal);
  return { embedded: fanOut(plan, run), ...(receipt === undefined ? {} : { receipt }) };
}

async function failureOf(run: BatchRun): Promise<{ readonly error: unknown } | undefined> {
  try {
    await run.execute();
    return undefined;
  } catch (error) {
    return { error };
  }
}

/** An abort's reason stays what it is, an error of our own kind included. */
function withReceipt(error: unknown, receipt: BatchingReceipt | undefined, signal: AbortSignal | undefined): unknown {
  if (error instanceof EmbeddingError && error !== signal?.reason) error.receipt = receipt;
  return error;
}

function deadlineOf({ deadlineMs, timeoutMs }: RunRules, plan: BatchPlan): number | null {
  if (deadlineMs !== undefined) return deadlineMs;
  return timeoutMs === null ? null : (TIMEOUTS_PER_BATCH * timeoutMs + PAUSES_PER_BATCH_MS) * plan.batches.length;
}

/** Each input's vector; a text that came several times has a copy for each, so that nobody shares an array. */
function fanOut(plan: BatchPlan, run: BatchRun): EmbeddedText[] {
  const given = new Set<number>();
  return plan.inputs.map(({ text, truncated }) => {
    const received = run.received[text];
    if (received === undefined) throw new EmbeddingError("bad_reply", "a text of the run has no vector");
    const vector = given.has(text) ? received.vector.slice() : received.vector;
    given.add(text);
    return { vector, truncated: truncated || received.cut };
  });
}

interface EndedRun {
  readonly endpoint: EmbeddingEndpoint;
  readonly rules: RunRules;
  readonly plan: BatchPlan;
  readonly run: BatchRun;
  readonly tally: RunTally;
}

function receiptOf({ endpoint, rules, plan, run, tally }: EndedRun): BatchingReceipt {
  const { inputs, texts, batches } = plan;
  const embedded = inputs.filter(({ text }) => text < run.received.length).length;
  return tally.close(
    {
      planned_batches: batches.length,
      provider: endpoint.name,
      model: endpoint.model,
      max_request_bytes: rules.maxRequestBytes,
      limit_source: rules.limitSource,
      truncated_inputs: inputs.filter(({ text, truncated }) => truncated || run.received[text]?.cut === true).length,
      deduplicated_inputs: inputs.length - texts.length,
    },
    embedded,
  );
}
