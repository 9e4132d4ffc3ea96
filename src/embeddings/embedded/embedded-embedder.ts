import { embeddingUnavailable } from "../../core/errors.js";
import type { EmbeddedText, Embedder, EmbeddingSpace, EmbedOptions } from "../embedder.js";
import { Call } from "./call.js";
import { CallQueue, type QueuedText } from "./call-queue.js";
import type { Lane } from "./messages.js";
import { type SliceResult, WorkerHandle, type WorkerOptions } from "./worker-handle.js";

interface EmbeddedOptions extends WorkerOptions {
  readonly space: EmbeddingSpace;
  readonly batchSize: number;
}

/**
 * Embeds in one worker thread that lives as long as this object. The worker has one slice of documents and one of
 * queries at a time; everything else waits here, where it can be taken back.
 */
export class EmbeddedEmbedder implements Embedder {
  readonly space: EmbeddingSpace;
  readonly batchSize: number;
  private readonly queues: Readonly<Record<Lane, CallQueue>> = { query: new CallQueue(), document: new CallQueue() };
  private readonly inWorker: Record<Lane, boolean> = { query: false, document: false };
  private readonly pending = new Set<Call>();
  private worker: WorkerHandle | undefined;
  private runtimeName = "";
  private closed = false;

  constructor(private readonly options: EmbeddedOptions) {
    this.space = options.space;
    this.batchSize = options.batchSize;
  }

  get runtime(): string {
    return this.runtimeName;
  }

  /** Loads the model. @throws Error saying why it cannot be loaded. */
  async start(): Promise<void> {
    this.runtimeName = await this.liveWorker().ready;
  }

  async embedDocuments(texts: readonly string[], options: EmbedOptions = {}): Promise<EmbeddedText[]> {
    return texts.length === 0 ? [] : this.submit("document", texts, options.signal);
  }

  async embedQuery(text: string, options: EmbedOptions = {}): Promise<Float32Array> {
    const [embedded] = await this.submit("query", [text], options.signal);
    if (embedded === undefined) throw embeddingUnavailable("the embedded model returned no vector");
    return embedded.vector;
  }

  async close(): Promise<void> {
    this.closed = true;
    this.rejectAll(embeddingUnavailable("the embedder is closed"));
    await this.worker?.close();
  }

  private async submit(lane: Lane, texts: readonly string[], signal: AbortSignal | undefined): Promise<EmbeddedText[]> {
    signal?.throwIfAborted();
    if (this.closed) throw embeddingUnavailable("the embedder is closed");
    const call = new Call(texts);
    const abort = (): void => {
      call.reject(signal?.reason);
    };
    signal?.addEventListener("abort", abort, { once: true });
    this.pending.add(call);
    this.queues[lane].add(call);
    this.liveWorker().hold(true);
    this.pump(lane);
    try {
      return await call.result;
    } finally {
      signal?.removeEventListener("abort", abort);
      this.pending.delete(call);
      if (this.pending.size === 0) this.worker?.hold(false);
    }
  }

  /** Gives the worker the lane's next slice, if it has none. */
  private pump(lane: Lane): void {
    if (this.inWorker[lane]) return;
    const slice = this.queues[lane].takeSlice();
    if (slice.length === 0) return;
    this.inWorker[lane] = true;
    void this.embedSlice(lane, slice).finally(() => {
      this.inWorker[lane] = false;
      this.pump(lane);
    });
  }

  private async embedSlice(lane: Lane, slice: readonly QueuedText[]): Promise<void> {
    const worker = this.liveWorker();
    try {
      await worker.ready;
      deliver(
        slice,
        await worker.embed(
          lane,
          slice.map((each) => each.text),
        ),
      );
    } catch (error) {
      // After a crash only the calls that were in the worker fail; the next slice or call starts a new one.
      const failure = embeddingUnavailable("the embedded model failed", error);
      for (const { call } of slice) call.reject(failure);
    }
  }

  /** The running worker, or a new one when the last has ended. */
  private liveWorker(): WorkerHandle {
    if (this.worker?.alive !== true) this.worker = new WorkerHandle(this.options);
    return this.worker;
  }

  private rejectAll(reason: Error): void {
    for (const call of this.pending) call.reject(reason);
    this.queues.query.clear();
    this.queues.document.clear();
  }
}

function deliver(slice: readonly QueuedText[], result: SliceResult): void {
  const dimensions = result.vectors.length / slice.length;
  slice.forEach(({ call, index }, place) => {
    // A copy, so that one text's vector does not keep its whole slice in memory.
    const vector = result.vectors.slice(place * dimensions, (place + 1) * dimensions);
    call.deliver(index, { vector, truncated: result.truncated[place] ?? false });
  });
}
