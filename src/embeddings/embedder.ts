import type { EmbeddingRefusal } from "./batching/embedding-error.js";
import type { BatchingReceipt } from "./batching/receipt.js";

/**
 * Identity of an embedding space. Vectors of two spaces never meet, so whatever changes the numbers that a text
 * becomes (model, its revision, dimensions, prefixes, truncation or pooling rules) is part of it.
 */
export interface EmbeddingSpace {
  readonly provider: string;
  readonly model: string;
  /** Revision of the weights where it is known (a digest), else `""`. */
  readonly revision: string;
  readonly dimensions: number;
  /** Prefix, truncation and pooling rules in one short versioned word, such as `windows_mean_v1`. */
  readonly recipe: string;
}

export interface EmbeddedText {
  /** Float32Array of `space.dimensions`; finite, of non-zero norm, not necessarily of length 1. */
  readonly vector: Float32Array;
  /** True when the vector does not stand for the whole text. */
  readonly truncated: boolean;
}

export interface EmbedOptions {
  readonly signal?: AbortSignal;
}

export interface EmbedDocumentsOptions extends EmbedOptions {
  /** Called once when a run that was planned is over, whether it succeeded, failed or was aborted. */
  readonly onReceipt?: (receipt: BatchingReceipt) => void;
}

/** Text in, vectors of one space out. Every provider passes the same contract suite. */
export interface Embedder {
  readonly space: EmbeddingSpace;
  /** What runs the model, for the start-up log: `onnxruntime-node 1.30.0`, `https://api.example.com/v1`. */
  readonly runtime: string;
  /** How many texts one call should hold at most for the provider to work well. */
  readonly batchSize: number;
  /**
   * Why a memory's text can never be embedded here, known without asking the provider: such a text among others makes
   * `embedDocuments` reject before it sends anything. Undefined: it can be tried.
   */
  refusalOf(text: string): EmbeddingRefusal | undefined;
  /**
   * Embeds memories, in order; never resolves with fewer vectors than texts. Rejects with the signal's reason when
   * aborted, else with an error of code `embedding_unavailable` whose `kind` (`EmbeddingErrorKind`) tells a text that
   * is refused for good from a provider that is down; `embeddingErrorOf` reads it.
   */
  embedDocuments(texts: readonly string[], options?: EmbedDocumentsOptions): Promise<EmbeddedText[]>;
  /** Embeds one query; it does not wait behind the documents that are queued. Rejects as `embedDocuments` does. */
  embedQuery(text: string, options?: EmbedOptions): Promise<Float32Array>;
  close(): Promise<void>;
}
