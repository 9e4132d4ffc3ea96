import { EmbeddingError } from "../batching/embedding-error.js";
import { ProviderFailure } from "../batching/provider-failure.js";
import type { EmbeddingEndpoint, ProviderReply, RequestSize, SendContext } from "../batching/provider.js";
import type { EmbeddedText } from "../embedder.js";
import { BATCH_SIZE_MAX } from "../provider-table.js";
import { Call } from "./call.js";
import { CallQueue, type QueuedText } from "./call-queue.js";
import type { Lane } from "./messages.js";
import { MODEL_NAME } from "./model-package.js";
import { type SliceResult, WorkerHandle, type WorkerOptions } from "./worker-handle.js";

/** Texts go to the worker as they are, with nothing around them: a request is as large as they are in UTF-8. */
const PLAIN_SIZE: RequestSize = { overhead: () => 0, text: (text) => Buffer.byteLength(text) };

/**
 * The model in one worker thread that lives as long as this object. The worker has one slice of documents and one of
 * queries at a time; everything else waits here, where it can be taken back.
 */
export class EmbeddedModel implements EmbeddingEndpoint {
  readonly name = "embedded";
  readonly model = MODEL_NAME;
  readonly maxItems = BATCH_SIZE_MAX;
  readonly maxChars = undefined;
  readonly prefixes = { document: "", query: "" };
  private readonly queues: Readonly<Record<Lane, CallQueue>> = { query: new CallQueue(), document: new CallQueue() };
  private readonly inWorker: Record<Lane, boolean> = { query: false, document: false };
  private readonly pending = new Set<Call>();
  private worker: WorkerHandle | undefined;
  private runtimeName = "";

  constructor(private readonly options: WorkerOptions) {}

  get runtime(): string {
    return this.runtimeName;
  }

  /** Loads the model. @throws Error saying why it cannot be loaded. */
  async start(): Promise<void> {
    this.runtimeName = await this.liveWorker().ready;
  }

  sizeOf(): RequestSize {
    return PLAIN_SIZE;
  }

  async send(texts: readonly string[], { purpose, signal }: SendContext): Promise<ProviderReply> {
    const embedded = await this.submit(purpose, texts, signal);
    return { vectors: embedded.map(({ vector }) => vector), truncated: embedded.map(({ truncated }) => truncated) };
  }

  async close(): Promise<void> {
    const closed = new EmbeddingError("provider_unavailable", "the embedder is closed");
    for (const call of this.pending) call.reject(closed);
    this.queues.query.clear();
    this.queues.document.clear();
    await this.worker?.close();
  }

  private async submit(lane: Lane, texts: readonly string[], signal: AbortSignal): Promise<EmbeddedText[]> {
    signal.throwIfAborted();
    const call = new Call(texts);
    const abort = (): void => {
      call.reject(signal.reason);
    };
    signal.addEventListener("abort", abort, { once: true });
    this.pending.add(call);
    this.queues[lane].add(call);
    this.liveWorker().hold(true);
    this.pump(lane);
    try {
      return await call.result;
    } finally {
      signal.removeEventListener("abort", abort);
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
      const failure = new ProviderFailure("transient", "the embedded model failed", { cause: error });
      for (const { call } of slice) call.reject(failure);
    }
  }

  /** The running worker, or a new one when the last has ended. */
  private liveWorker(): WorkerHandle {
    if (this.worker?.alive !== true) this.worker = new WorkerHandle(this.options);
    return this.worker;
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
