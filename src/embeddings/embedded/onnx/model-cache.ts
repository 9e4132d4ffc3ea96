import { randomUUID } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { MODEL_FILES, readWeights, sha256, WEIGHTS_SHA256 } from "../model-package.js";
import { Safetensors } from "../safetensors.js";
import { type BertConfig, buildBertModel } from "./bert-graph.js";

/** Counts up whenever the generated file changes; `GENERATED_SHA256` then changes with it. */
const GENERATOR_VERSION = 1;

/** SHA-256 of the generated file. Generation is exact (widening and reordering), so it is the same on every machine. */
const GENERATED_SHA256 = "2f749323b14522872bc9bba1e9a8078fcac54b9ec4130c6ebee34c1c4ba2d442";

/** Name of the cached file inside the model folder. */
export const CACHED_MODEL_NAME = `all-MiniLM-L6-v2-${WEIGHTS_SHA256.slice(0, 12)}-g${String(GENERATOR_VERSION)}.onnx`;

/**
 * The model as an ONNX file (90 MB), from the cache in `modelDir` or generated there.
 *
 * A cached file with another digest, such as a truncated one, is replaced. The file is written beside its final name
 * and renamed, so several processes may do so at once. When the folder cannot be written, `warn` hears of it and the
 * file only exists in memory. @throws Error when the weights package is damaged.
 */
export async function loadOnnxModel(modelDir: string, warn: (message: string) => void): Promise<Uint8Array> {
  const file = path.join(modelDir, CACHED_MODEL_NAME);
  const cached = await readCached(file);
  if (cached !== undefined) return cached;
  const model = await generateModel();
  try {
    await writeAtomically(file, model);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    warn(`the embedding model is not cached and will be generated at every start: ${reason}`);
  }
  return model;
}

async function readCached(file: string): Promise<Uint8Array | undefined> {
  try {
    const bytes = await readFile(file);
    return sha256(bytes) === GENERATED_SHA256 ? bytes : undefined;
  } catch {
    // Absent or unreadable: either way it has to be made.
    return undefined;
  }
}

async function generateModel(): Promise<Uint8Array> {
  const config = JSON.parse(await readFile(MODEL_FILES.config, "utf8")) as BertConfig;
  const model = buildBertModel(new Safetensors(await readWeights()), config);
  const digest = sha256(model);
  if (digest !== GENERATED_SHA256)
    throw new Error(`the generated embedding model has the unexpected SHA-256 ${digest}`);
  return model;
}

async function writeAtomically(file: string, bytes: Uint8Array): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  const temporary = `${file}.${randomUUID()}.tmp`;
  try {
    await writeFile(temporary, bytes);
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
