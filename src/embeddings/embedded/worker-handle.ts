import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { EmbeddedRuntime } from "../embedding-settings.js";
import type { FromWorker, Lane, ToWorker, WorkerSetup } from "./messages.js";
import { RunGate } from "./run-gate.js";

/** Longest wait for the step under way when the worker or the process ends, in ms; a step takes well below a second. */
const GRACE_MS = 5000;

/** Who waits for the model to load; slices count from 1. */
const LOADING = 0;

export interface WorkerOptions {
  readonly workerUrl: URL;
  readonly runtime: EmbeddedRuntime;
  readonly modelDir: string;
  readonly warn: (message: string) => void;
}

export interface SliceResult {
  /** The vectors of all texts, one after the other. */
  readonly vectors: Float32Array;
  readonly truncated: readonly boolean[];
}

interface Waiter {
  readonly resolve: (result: SliceResult) => void;
  readonly reject: (error: Error) => void;
}

/** One worker thread from start to end. It lets the process exit unless `hold` says that somebody waits for it. */
export class WorkerHandle {
  /** Resolves with the runtime's name once the model is loaded; rejects with an Error that says why it is not. */
  readonly ready: Promise<string>;
  private readonly gate = new RunGate();
  private readonly waiters = new Map<number, Waiter>();
  private readonly worker: Worker;
  private readonly exited: Promise<void>;
  private lastId = 0;
  /** Why the thread is gone, or going. */
  private failure: Error | undefined;

  constructor(private readonly options: WorkerOptions) {
    const { workerUrl, runtime, modelDir } = options;
    const setup: WorkerSetup = { runtime, modelDir, gateMemory: this.gate.memory };
    // No flags of the process: the worker is a plain compiled module, and `--input-type` would keep it from starting.
    this.worker = new Worker(workerUrl, { workerData: setup, name: "embeddings", execArgv: [] });
    this.ready = this.untilReady();
    this.ready.catch(() => undefined);
    this.exited = this.untilExited();
    process.once("exit", this.quieten);
  }

  /** False once the thread has ended, failed to load or been told to close. */
  get alive(): boolean {
    return this.failure === undefined;
  }

  /** Embeds one slice. @throws Error when the model fails on it, or when the thread ends before it is done. */
  embed(lane: Lane, texts: readonly string[]): Promise<SliceResult> {
    if (this.failure !== undefined) return Promise.reject(this.failure);
    this.lastId += 1;
    const id = this.lastId;
    this.post({ kind: "embed", id, lane, texts });
    return new Promise((resolve, reject) => {
      this.waiters.set(id, { resolve, reject });
    });
  }

  /** Whether the process has to stay alive for this thread. */
  hold(needed: boolean): void {
    if (needed) this.worker.ref();
    else this.worker.unref();
  }

  /** Frees the model and ends the thread; what is under way in it is lost. */
  async close(): Promise<void> {
    this.fail(new Error("the embedding worker is closed"));
    this.gate.close();
    this.post({ kind: "close" });
    this.hold(true);
    const grace = setTimeout(() => {
      // Terminating a thread in which native code runs would abort the whole process; then it is left behind.
      if (this.gate.waitUntilIdle(0)) void this.worker.terminate();
      else this.hold(false);
    }, GRACE_MS);
    await Promise.race([this.exited, sleep(2 * GRACE_MS, undefined, { ref: false })]);
    clearTimeout(grace);
  }

  private readonly quieten = (): void => {
    this.gate.close();
    this.gate.waitUntilIdle(GRACE_MS);
  };

  private post(message: ToWorker): void {
    this.worker.postMessage(message);
  }

  private untilReady(): Promise<string> {
    return new Promise((resolve, reject) => {
      this.waiters.set(LOADING, { resolve: () => undefined, reject });
      this.worker.on("message", (message: FromWorker) => {
        if (message.kind === "ready") {
          this.waiters.delete(LOADING);
          resolve(message.runtime);
        } else if (message.kind === "failed") this.fail(new Error(message.reason));
        else if (message.kind === "warning") this.warn(message.message);
        else this.settle(message);
      });
    });
  }

  private untilExited(): Promise<void> {
    this.worker.once("error", (error) => {
      this.fail(error);
    });
    return new Promise((resolve) => {
      this.worker.once("exit", (code) => {
        process.off("exit", this.quieten);
        this.fail(new Error(`the embedding worker ended with code ${String(code)}`));
        resolve();
      });
    });
  }

  /** A thread that is told to close while it loads complains about that; nobody needs to hear it. */
  private warn(message: string): void {
    if (this.alive) this.options.warn(message);
  }

  private settle(message: Extract<FromWorker, { id: number }>): void {
    const waiter = this.waiters.get(message.id);
    this.waiters.delete(message.id);
    if (message.kind === "embedded") waiter?.resolve(message);
    else waiter?.reject(new Error(message.reason));
  }

  private fail(error: Error): void {
    this.failure ??= error;
    for (const waiter of this.waiters.values()) waiter.reject(this.failure);
    this.waiters.clear();
  }
}
