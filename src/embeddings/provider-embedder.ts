import { EmbeddingError, type EmbeddingRefusal } from "./batching/embedding-error.js";
import { executeEmbeddingBatchesWithRetry } from "./batching/execute-embedding-batches-with-retry.js";
import type { BatchingOptions } from "./batching/options.js";
import type { EmbeddingEndpoint } from "./batching/provider.js";
import { refusalOf } from "./batching/refusal-of.js";
import type { EmbeddedText, Embedder, EmbeddingSpace, EmbedDocumentsOptions, EmbedOptions } from "./embedder.js";

interface ProviderEmbedderOptions {
  readonly space: EmbeddingSpace;
  readonly runtime: string;
  /** How requests are made: batch size, ceilings, time, retries. */
  readonly batching: BatchingOptions & { readonly batchSize: number };
  /** Frees what the endpoint holds. */
  readonly release?: () => Promise<void>;
}

/** A query's caller waits: it gets a single request's time and a little for retries, and no long pause. */
const QUERY_GRACE_MS = 10_000;

/** Any provider as an embedder: what it embeds goes through the one pipeline. */
export class ProviderEmbedder implements Embedder {
  readonly space: EmbeddingSpace;
  readonly runtime: string;
  readonly batchSize: number;
  private readonly batching: BatchingOptions;
  private readonly calls = new Set<AbortController>();
  private closed = false;

  constructor(
    private readonly endpoint: EmbeddingEndpoint,
    private readonly options: ProviderEmbedderOptions,
  ) {
    this.space = options.space;
    this.runtime = options.runtime;
    this.batching = { ...options.batching, dimensions: options.space.dimensions };
    this.batchSize = Math.min(options.batching.batchSize, endpoint.maxItems);
  }

  refusalOf(text: string): EmbeddingRefusal | undefined {
    return refusalOf(this.endpoint, text, this.batching);
  }

  async embedDocuments(texts: readonly string[], options: EmbedDocumentsOptions = {}): Promise<EmbeddedText[]> {
    return await this.embed(texts, options);
  }

  async embedQuery(text: string, { signal }: EmbedOptions = {}): Promise<Float32Array> {
    const { timeoutMs } = this.batching;
    const [embedded] = await this.embed([text], {
      signal,
      purpose: "query",
      longestPauseMs: QUERY_GRACE_MS,
      deadlineMs: timeoutMs == null ? timeoutMs : timeoutMs + QUERY_GRACE_MS,
    });
    if (embedded === undefined) throw new EmbeddingError("bad_reply", `${this.space.provider} returned no vector`);
    return embedded.vector;
  }

  async close(): Promise<void> {
    this.closed = true;
    for (const call of this.calls) call.abort(closedError());
    await this.options.release?.();
  }

  /** Runs the pipeline with a signal that aborts with the caller's, or when the embedder closes. */
  private async embed(texts: readonly string[], options: BatchingOptions): Promise<EmbeddedText[]> {
    const { signal } = options;
    signal?.throwIfAborted();
    if (this.closed) throw closedError();
    // Not AbortSignal.any: signals derived from one that lives as long as the process pile up on it.
    const call = new AbortController();
    const forward = (): void => {
      call.abort(signal?.reason);
    };
    this.calls.add(call);
    signal?.addEventListener("abort", forward, { once: true });
    try {
      const given = { ...this.batching, ...options, signal: call.signal };
      return (await executeEmbeddingBatchesWithRetry(this.endpoint, texts, given)).embedded;
    } finally {
      this.calls.delete(call);
      signal?.removeEventListener("abort", forward);
    }
  }
}

function closedError(): EmbeddingError {
  return new EmbeddingError("provider_unavailable", "the embedder is closed");
}
