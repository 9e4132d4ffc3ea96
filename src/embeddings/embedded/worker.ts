import { parentPort, workerData } from "node:worker_threads";
import { createEncoder } from "./create-encoder.js";
import type { FromWorker, ToWorker, WorkerSetup } from "./messages.js";
import { MODEL_DIMENSIONS } from "./model-package.js";
import { RunGate } from "./run-gate.js";
import { TextPipeline } from "./text-pipeline.js";
import { WordPieceTokens } from "./tokens.js";

// The thread that holds the embedded model: loads it once, then answers `embed` messages until `close`.

if (parentPort === null) throw new Error("the embedding worker only runs as a worker thread");
const port = parentPort;

const setup = workerData as WorkerSetup;
const gate = new RunGate(setup.gateMemory);

function send(message: FromWorker, transfer: readonly ArrayBuffer[] = []): void {
  port.postMessage(message, transfer);
}

async function load(): Promise<TextPipeline> {
  const warn = (message: string): void => {
    send({ kind: "warning", message });
  };
  const tokens = await WordPieceTokens.load();
  const encoder = await createEncoder({ runtime: setup.runtime, modelDir: setup.modelDir, gate, warn });
  send({ kind: "ready", runtime: encoder.name });
  return new TextPipeline({ encoder, tokens, gate });
}

async function embed(texts: TextPipeline, request: ToWorker & { kind: "embed" }): Promise<void> {
  const { id, lane } = request;
  try {
    const encoded = await texts.encode(lane, request.texts);
    const vectors = new Float32Array(encoded.length * MODEL_DIMENSIONS);
    encoded.forEach(({ vector }, index) => {
      vectors.set(vector, index * MODEL_DIMENSIONS);
    });
    const truncated = encoded.map((each) => each.truncated);
    send({ kind: "embedded", id, vectors, truncated }, [vectors.buffer]);
  } catch (error) {
    send({ kind: "rejected", id, reason: error instanceof Error ? error.message : String(error) });
  }
}

/** Without its port the thread has nothing left to wait for, and ends. */
async function close(texts: TextPipeline): Promise<void> {
  await texts.release();
  port.close();
}

async function serve(): Promise<void> {
  const texts = await load();
  port.on("message", (message: ToWorker) => {
    void (message.kind === "embed" ? embed(texts, message) : close(texts));
  });
}

serve().catch((error: unknown) => {
  send({ kind: "failed", reason: error instanceof Error ? error.message : String(error) });
  port.close();
});
