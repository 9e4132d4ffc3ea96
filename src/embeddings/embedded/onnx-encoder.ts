import { availableParallelism } from "node:os";
import type { Encoder } from "./encoder.js";
import { MODEL_DIMENSIONS } from "./model-package.js";
import { loadOnnxModel } from "./onnx/model-cache.js";
import type { Window } from "./plan-text.js";
import { meanOfTokens } from "./pooling.js";
import type { RunGate } from "./run-gate.js";

/**
 * More tokens in a batch are hardly faster (17-token texts: 418 per second against 450 with 512 tokens; full windows the
 * same), and a query waits for the batch that is running (22 ms against 46; 2 cores).
 */
const BATCH_TOKENS = 256;
const MOST_THREADS = 4;
/**
 * Threads that wait do so asleep. Spinning is onnxruntime's default; with other work on both cores it took 1.3 to 3 times
 * the CPU (2 x 256 tokens: 102 to 226 ms against 77) and 2 to 4 times as long (166 to 243 ms against 58 to 86).
 */
const SLEEPING_THREADS = { session: { intra_op: { allow_spinning: "0" } } };
/** onnxruntime's level "error": its warnings are about graph optimisation. */
const LOG_ERRORS = 3;

/** By this name and not as a literal, so that compiling does not need the package. */
const OPTIONAL_PACKAGE = "onnxruntime-node";

/** The part of `onnxruntime-node` that is used; the package is optional, so its own types may be absent. */
interface OnnxRuntime {
  readonly env: { readonly versions: { readonly node?: string } };
  readonly Tensor: new (type: "int64", data: BigInt64Array, shape: readonly number[]) => object;
  readonly InferenceSession: { create(model: Uint8Array, options: object): Promise<OnnxSession> };
}

interface OnnxSession {
  run(feeds: Readonly<Record<string, object>>): Promise<Readonly<Record<string, { data: Float32Array } | undefined>>>;
  release(): Promise<void>;
}

interface OnnxOptions {
  readonly modelDir: string;
  readonly gate: RunGate;
  readonly warn: (message: string) => void;
}

/** Loads onnxruntime and the generated model. @throws Error when the package is absent or does not load here. */
export async function createOnnxEncoder({ modelDir, gate, warn }: OnnxOptions): Promise<Encoder> {
  const onnx = await importOnnxRuntime();
  const model = await loadOnnxModel(modelDir, warn);
  const options = {
    intraOpNumThreads: Math.min(MOST_THREADS, availableParallelism()),
    interOpNumThreads: 1,
    logSeverityLevel: LOG_ERRORS,
    extra: SLEEPING_THREADS,
  };
  const session = await gate.run(() => onnx.InferenceSession.create(model, options));
  return {
    name: `onnxruntime-node ${onnx.env.versions.node ?? "of unknown version"}`,
    batchTokens: BATCH_TOKENS,
    encode: (windows) => encode(onnx, session, windows),
    release: () => session.release(),
  };
}

async function importOnnxRuntime(): Promise<OnnxRuntime> {
  const module = (await import(OPTIONAL_PACKAGE)) as { default: OnnxRuntime };
  return module.default;
}

async function encode(onnx: OnnxRuntime, session: OnnxSession, windows: readonly Window[]): Promise<Float32Array[]> {
  const sequence = Math.max(...windows.map((window) => window.ids.length));
  const shape = [windows.length, sequence];
  const ids = new BigInt64Array(windows.length * sequence);
  const mask = new BigInt64Array(windows.length * sequence);
  windows.forEach((window, row) => {
    ids.set(window.ids.map(BigInt), row * sequence);
    mask.fill(1n, row * sequence, row * sequence + window.ids.length);
  });
  const input = {
    input_ids: new onnx.Tensor("int64", ids, shape),
    attention_mask: new onnx.Tensor("int64", mask, shape),
  };
  const { hidden_state: hidden } = await session.run(input);
  if (hidden === undefined) throw new Error("onnxruntime returned no hidden_state");
  const states = { values: hidden.data, sequence, dimensions: MODEL_DIMENSIONS };
  return windows.map((window, row) => meanOfTokens(states, row, window.ids.length));
}
