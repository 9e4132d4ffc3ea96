import { MemgateError } from "../../core/errors.js";
import type { BatchingReceipt } from "./receipt.js";

/**
 * - `input_refused`: this very input will never be embedded as it is; `position` and `reason` say which and why
 * - `batch_refused`: the provider refuses one or more inputs of a request with several, without saying which
 * - `provider_unavailable`: the provider is down, out of time, or does not accept our key, model or address
 * - `bad_reply`: the provider answered with something that cannot be the vectors of what was asked
 * - `invalid_options`: the call itself is wrong
 */
export type EmbeddingErrorKind =
  "input_refused" | "batch_refused" | "provider_unavailable" | "bad_reply" | "invalid_options";

/** Why an input is refused: the first two before anything is sent, the others by the provider. */
export type RefusalReason = "blank" | "too_large" | "context_too_long" | "payload_too_large" | "refused_by_provider";

export interface EmbeddingRefusal {
  readonly reason: RefusalReason;
  readonly detail: string;
}

interface Details {
  /** Index of the (first) input of the request that failed, among the inputs of the run. */
  readonly position?: number;
  readonly reason?: RefusalReason;
  readonly cause?: unknown;
}

/** A run that did not succeed. Its detail names provider and status, never a text, a key or an address. */
export class EmbeddingError extends MemgateError {
  readonly position: number | undefined;
  readonly reason: RefusalReason | undefined;
  /** What the run did until then; undefined where no request was planned, and for a custom provider. */
  receipt: BatchingReceipt | undefined;

  constructor(
    readonly kind: EmbeddingErrorKind,
    detail: string,
    details: Details = {},
  ) {
    super(kind === "invalid_options" ? "internal_error" : "embedding_unavailable", detail, { cause: details.cause });
    this.name = "EmbeddingError";
    this.position = details.position;
    this.reason = details.reason;
  }
}

/** The error as one of a run, or undefined when it is another: an abort's reason, or a fault of ours. */
export function embeddingErrorOf(error: unknown): EmbeddingError | undefined {
  return error instanceof EmbeddingError ? error : undefined;
}
