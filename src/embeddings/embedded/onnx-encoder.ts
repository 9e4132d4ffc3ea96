import { availableParallelism } from "node:os";
import type { Encoder } from "./encoder.js";
import { MODEL_DIMENSIONS } from "./model-package.js";
import { loadOnnxModel } from "./onnx/model-cache.js";
import type { Window } from "./plan-text.js";
import { meanOfTokens } from "./pooling.js";
import type { RunGate } from "./run-gate.js";

/**
 * More tokens in a batch are not faster (22-token texts: 4.4 ms alone, 2.6 in eights, 2.4 in sixteens; 256-token texts
 * the same alone and in sixteens, 2 cores), and a query waits for the batch that is running.
 */
const BATCH_TOKENS = 512;
const MOST_THREADS = 4;
/** onnxruntime's level "error": its warnings are about graph optimisation. */
const LOG_ERRORS = 3;

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
  // As a variable, so that compiling does not need the optional package.
  const name: string = "onnxruntime-node";
  const module = (await import(name)) as { default: OnnxRuntime };
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
