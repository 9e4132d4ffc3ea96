const CLOSED = 0;
const BUSY = 1;

/**
 * Keeps native code from being interrupted. When a thread is stopped while onnxruntime computes in it, the whole
 * process aborts (SIGABRT, seen with 1.30.0 on worker.terminate() and on process.exit()). So the worker computes only
 * inside `run`, and whoever is about to stop it closes the gate and waits for the run that is under way.
 */
export class RunGate {
  private readonly flags: Int32Array;

  /** @param memory The `memory` of the gate on the other thread; absent on the side that makes the gate. */
  constructor(readonly memory: SharedArrayBuffer = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT)) {
    this.flags = new Int32Array(memory);
  }

  /** Runs `work`, one at a time. @throws Error when the gate is closed. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    // Busy is raised before closed is read, and `close` writes and reads in the other order: one of the two sees it.
    Atomics.store(this.flags, BUSY, 1);
    try {
      if (Atomics.load(this.flags, CLOSED) === 1) throw new Error("the embedding worker is closing");
      return await work();
    } finally {
      Atomics.store(this.flags, BUSY, 0);
      Atomics.notify(this.flags, BUSY);
    }
  }

  /** No run starts from now on. */
  close(): void {
    Atomics.store(this.flags, CLOSED, 1);
  }

  /** Blocks this thread until no run is under way; false when that takes longer than `timeoutMs`. */
  waitUntilIdle(timeoutMs: number): boolean {
    return Atomics.wait(this.flags, BUSY, 1, timeoutMs) !== "timed-out";
  }
}
