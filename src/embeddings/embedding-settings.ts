import type { ProviderName } from "./provider-table.js";

/** What the `embedded` provider runs its model with; `auto` takes onnx where it loads, else wasm. */
export type EmbeddedRuntime = "auto" | "onnx" | "wasm";

export interface EmbeddingSettings {
  readonly provider: ProviderName;
  /** Default: see `PROVIDERS`. */
  readonly model?: string | undefined;
  /** Default: see `PROVIDERS`. Not used by `embedded`. */
  readonly baseUrl?: string | undefined;
  /** Sent as a bearer token when set. */
  readonly apiKey?: string | undefined;
  /** Dimensions that the vectors must have; default: whatever the model returns. */
  readonly dimensions?: number | undefined;
  /** Texts in one request, and what `Embedder.batchSize` says, unless the provider takes fewer. */
  readonly batchSize: number;
  /** Longest time for one remote request, in ms; every retry has its own. */
  readonly timeoutMs: number;
  /** Texts beyond this many UTF-16 units are cut and flagged (remote). Default: see `PROVIDERS`. */
  readonly maxChars?: number | undefined;
  /** Bytes of one request at most; default 262,144. */
  readonly maxRequestBytes?: number | undefined;
  /** Written before every memory (remote); `none` for none. Default: what the model is known for, see `prefixes.ts`. */
  readonly documentPrefix?: string | undefined;
  /** The same for queries. */
  readonly queryPrefix?: string | undefined;
  /** Folder in which the generated ONNX file is cached (embedded). */
  readonly modelDir: string;
  readonly runtime?: EmbeddedRuntime | undefined;
  /** The compiled `embedded/worker.js`; default: the one beside this module. */
  readonly workerUrl?: URL | undefined;
  /** Hears of what is wrong but does not stop the embedder, such as a cache folder that is not writable. */
  readonly warn?: ((message: string) => void) | undefined;
}
