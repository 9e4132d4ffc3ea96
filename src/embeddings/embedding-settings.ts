export type EmbeddingProvider = "embedded" | "openai" | "ollama";

/** What the `embedded` provider runs its model with; `auto` takes onnx where it loads, else wasm. */
export type EmbeddedRuntime = "auto" | "onnx" | "wasm";

export interface EmbeddingSettings {
  readonly provider: EmbeddingProvider;
  /** Default: see `PROVIDER_DEFAULTS`. */
  readonly model?: string | undefined;
  /** Default: see `PROVIDER_DEFAULTS`. Not used by `embedded`. */
  readonly baseUrl?: string | undefined;
  /** Sent as a bearer token when set. */
  readonly apiKey?: string | undefined;
  /** Dimensions that the vectors must have; default: whatever the model returns. */
  readonly dimensions?: number | undefined;
  /** Texts in one request (remote), and what `Embedder.batchSize` says. */
  readonly batchSize: number;
  /** Longest time for one remote request, in ms; every retry has its own. */
  readonly timeoutMs: number;
  /** Texts beyond this many UTF-16 units are cut and flagged (remote). Default: see `PROVIDER_DEFAULTS`. */
  readonly maxChars?: number | undefined;
  /** Folder in which the generated ONNX file is cached (embedded). */
  readonly modelDir: string;
  readonly runtime?: EmbeddedRuntime | undefined;
  /** The compiled `embedded/worker.js`; default: the one beside this module. */
  readonly workerUrl?: URL | undefined;
  /** Hears of what is wrong but does not stop the embedder, such as a cache folder that is not writable. */
  readonly warn?: ((message: string) => void) | undefined;
}
