import { embeddingUnavailable } from "../../core/errors.js";
import { cutText } from "../cut-text.js";
import type { EmbeddedText, Embedder, EmbeddingSpace, EmbedOptions } from "../embedder.js";
import type { RemoteClient } from "./remote-client.js";

interface RemoteEmbedderOptions {
  readonly space: EmbeddingSpace;
  readonly batchSize: number;
  /** Texts beyond this many UTF-16 units are cut at a grapheme border. */
  readonly maxChars: number;
}

/** What is sent for a blank text: providers refuse an empty input, and one of them would fail its whole batch. */
const BLANK_STAND_IN = "-";

/** Embeds through an HTTP server: batches of `batchSize`, one after the other. */
export class RemoteEmbedder implements Embedder {
  readonly space: EmbeddingSpace;
  readonly runtime: string;
  readonly batchSize: number;
  private readonly maxChars: number;
  private readonly calls = new Set<AbortController>();
  private closed = false;

  constructor(
    private readonly client: RemoteClient,
    options: RemoteEmbedderOptions,
  ) {
    this.space = options.space;
    this.runtime = client.endpoint.base;
    this.batchSize = options.batchSize;
    this.maxChars = options.maxChars;
  }

  async embedDocuments(texts: readonly string[], options: EmbedOptions = {}): Promise<EmbeddedText[]> {
    const embedded: EmbeddedText[] = [];
    for (let start = 0; start < texts.length; start += this.batchSize) {
      embedded.push(...(await this.embedBatch(texts.slice(start, start + this.batchSize), options.signal)));
    }
    return embedded;
  }

  async embedQuery(text: string, options: EmbedOptions = {}): Promise<Float32Array> {
    const [embedded] = await this.embedBatch([text], options.signal);
    if (embedded === undefined) throw embeddingUnavailable(`${this.space.provider} returned no vector`);
    return embedded.vector;
  }

  close(): Promise<void> {
    this.closed = true;
    for (const call of this.calls) call.abort(closedError());
    return Promise.resolve();
  }

  private async embedBatch(texts: readonly string[], signal: AbortSignal | undefined): Promise<EmbeddedText[]> {
    signal?.throwIfAborted();
    if (this.closed) throw closedError();
    const cuts = texts.map((text) => cutText(text.toWellFormed(), this.maxChars));
    const inputs = cuts.map((cut) => (cut.text.trim() === "" ? BLANK_STAND_IN : cut.text));
    const vectors = await this.untilClosed(signal, (either) =>
      this.client.request(inputs, { dimensions: this.space.dimensions, signal: either }),
    );
    return vectors.map((vector, index) => ({ vector, truncated: cuts[index]?.truncated ?? false }));
  }

  /** Runs `work` with a signal that aborts with the caller's, or when the embedder closes. */
  private async untilClosed<T>(signal: AbortSignal | undefined, work: (either: AbortSignal) => Promise<T>): Promise<T> {
    // Not AbortSignal.any: signals derived from one that lives as long as the process pile up on it.
    const call = new AbortController();
    const forward = (): void => {
      call.abort(signal?.reason);
    };
    this.calls.add(call);
    signal?.addEventListener("abort", forward, { once: true });
    try {
      return await work(call.signal);
    } finally {
      this.calls.delete(call);
      signal?.removeEventListener("abort", forward);
    }
  }
}

function closedError(): Error {
  return embeddingUnavailable("the embedder is closed");
}
