import type { EmbeddedRuntime } from "../embedding-settings.js";
import type { Encoder } from "./encoder.js";
import { createOnnxEncoder } from "./onnx-encoder.js";
import type { RunGate } from "./run-gate.js";
import { createWasmEncoder } from "./wasm-encoder.js";

export interface EncoderOptions {
  readonly runtime: EmbeddedRuntime;
  readonly modelDir: string;
  readonly gate: RunGate;
  readonly warn: (message: string) => void;
}

/** Loads the runtime asked for; `auto` is onnxruntime where it loads (about ten times as fast), else WebAssembly. */
export async function createEncoder(options: EncoderOptions): Promise<Encoder> {
  const { runtime, warn } = options;
  if (runtime === "wasm") return createWasmEncoder();
  try {
    return await createOnnxEncoder(options);
  } catch (error) {
    if (runtime === "onnx") throw error;
    const reason = error instanceof Error ? error.message : String(error);
    warn(`embedding with WebAssembly, which is about ten times slower than onnxruntime-node: ${reason}`);
    return createWasmEncoder();
  }
}
