import { EmbeddingError } from "./embedding-error.js";
import { prepareInput, type InputRules, type PreparedInput } from "./prepare-input.js";

export interface PlanRules extends InputRules {
  readonly batchSize: number;
}

/** A run of unique texts, `end` excluded. */
export interface BatchRange {
  readonly start: number;
  readonly end: number;
}

export interface PlannedInput {
  /** Its text's place among `BatchPlan.texts`. */
  readonly text: number;
  readonly truncated: boolean;
}

export interface BatchPlan {
  readonly inputs: readonly PlannedInput[];
  /** What is sent, each once, in the order of first use. */
  readonly texts: readonly string[];
  /** For each of `texts` the first input that has it. */
  readonly positions: readonly number[];
  /** In order and without gaps over `texts`. */
  readonly batches: readonly BatchRange[];
}

/**
 * Decides everything about a run before its first request: which texts are sent, once each, and in which requests, each
 * of at most `batchSize` texts and `maxRequestBytes` bytes, filled in order.
 * @throws EmbeddingError `input_refused` naming the position of the first input that is blank or does not fit.
 */
export function planBatches(inputs: readonly string[], rules: PlanRules): BatchPlan {
  const places = new Map<string, number>();
  const unique: PreparedInput[] = [];
  const positions: number[] = [];
  const planned = inputs.map((input, position) => {
    const prepared = prepareInput(input, rules);
    if (prepared.refusal !== undefined) throw refusedBeforehand(position, prepared.refusal);
    let place = places.get(prepared.text);
    if (place === undefined) {
      place = unique.push(prepared) - 1;
      positions.push(position);
      places.set(prepared.text, place);
    }
    return { text: place, truncated: prepared.truncated };
  });
  return { inputs: planned, texts: unique.map(({ text }) => text), positions, batches: fill(unique, rules) };
}

function refusedBeforehand(position: number, refusal: NonNullable<PreparedInput["refusal"]>): EmbeddingError {
  const { reason, detail } = refusal;
  return new EmbeddingError("input_refused", `input ${String(position)} ${detail}`, { position, reason });
}

function fill(texts: readonly PreparedInput[], { size, batchSize, maxRequestBytes }: PlanRules): BatchRange[] {
  const batches: BatchRange[] = [];
  let start = 0;
  let bytes = 0;
  texts.forEach((text, place) => {
    const count = place - start + 1;
    const fits = count <= batchSize && size.overhead(count) + bytes + text.bytes <= maxRequestBytes;
    if (fits) {
      bytes += text.bytes;
      return;
    }
    batches.push({ start, end: place });
    start = place;
    bytes = text.bytes;
  });
  if (start < texts.length) batches.push({ start, end: texts.length });
  return batches;
}
