import type { EmbeddedRuntime } from "../embedding-settings.js";

/** Queries overtake documents. */
export type Lane = "query" | "document";

export interface WorkerSetup {
  readonly runtime: EmbeddedRuntime;
  readonly modelDir: string;
  readonly gateMemory: SharedArrayBuffer;
}

export type ToWorker =
  | { readonly kind: "embed"; readonly id: number; readonly lane: Lane; readonly texts: readonly string[] }
  | { readonly kind: "close" };

export type FromWorker =
  | { readonly kind: "ready"; readonly runtime: string }
  | { readonly kind: "failed"; readonly reason: string }
  | { readonly kind: "warning"; readonly message: string }
  /** `vectors` holds the texts' vectors one after the other, and is transferred. */
  | {
      readonly kind: "embedded";
      readonly id: number;
      readonly vectors: Float32Array;
      readonly truncated: readonly boolean[];
    }
  | { readonly kind: "rejected"; readonly id: number; readonly reason: string };
