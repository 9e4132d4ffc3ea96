import type { Window } from "./plan-text.js";

/** Runs the model over windows; knows nothing of texts, queues or threads. */
export interface Encoder {
  /** For the start-up log, with its version where known. */
  readonly name: string;
  /** Tokens, padding included, that one `encode` call should hold at most; at least one window is always given. */
  readonly batchTokens: number;
  /** One vector of 384 dimensions and length 1 per window. */
  encode(windows: readonly Window[]): Promise<Float32Array[]>;
  /** Frees native memory; no other call may follow. */
  release(): Promise<void>;
}
