import { mkdir, mkdtemp, readdir, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { createEmbedder } from "../../../src/embeddings/create-embedder.js";
import { assertDigest, sha256, WEIGHTS_SHA256 } from "../../../src/embeddings/embedded/model-package.js";
import { CACHED_MODEL_NAME, loadOnnxModel } from "../../../src/embeddings/embedded/onnx/model-cache.js";
import { embeddedSettings } from "../../support/embedded-settings.js";

const MODEL_BYTES = 90_284_604;

let folder: string;
const warnings: string[] = [];
const warn = (message: string): void => void warnings.push(message);

beforeEach(async () => {
  warnings.length = 0;
  folder = await mkdtemp(path.join(tmpdir(), "memgate-model-cache-"));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

describe("the cached ONNX file", () => {
  it("is written once, whole, by two embedders that start at the same time", async () => {
    const modelDir = path.join(folder, "new", "folder");
    const settings = embeddedSettings({ runtime: "onnx", modelDir, warn });
    const embedders = await Promise.all([createEmbedder(settings), createEmbedder(settings)]);
    await Promise.all(embedders.map((embedder) => embedder.close()));
    expect(await readdir(modelDir)).toEqual([CACHED_MODEL_NAME]);
    expect((await stat(path.join(modelDir, CACHED_MODEL_NAME))).size).toBe(MODEL_BYTES);
    expect(warnings).toEqual([]);
  });

  it("is made anew when it was cut short or changed", async () => {
    const file = path.join(folder, CACHED_MODEL_NAME);
    const model = await loadOnnxModel(folder, warn);
    await truncate(file, 1000);
    expect(sha256(await loadOnnxModel(folder, warn))).toBe(sha256(model));
    const damaged = Uint8Array.from(model);
    damaged[50_000_000] = (damaged[50_000_000] ?? 0) ^ 1;
    await writeFile(file, damaged);
    const embedder = await createEmbedder(embeddedSettings({ runtime: "onnx", modelDir: folder, warn }));
    await embedder.close();
    expect(sha256(await loadOnnxModel(folder, warn))).toBe(sha256(model));
    expect(warnings).toEqual([]);
  });

  it("is used from memory when its folder cannot be written, which is said", async () => {
    const modelDir = path.join(folder, "a file");
    await writeFile(modelDir, "in the way");
    const embedder = await createEmbedder(embeddedSettings({ runtime: "onnx", modelDir, warn }));
    expect(await embedder.embedQuery("works")).toHaveLength(384);
    await embedder.close();
    expect(warnings).toEqual([expect.stringContaining("is not cached")]);
  });

  it("leaves nothing behind when it cannot take its place", async () => {
    await mkdir(path.join(folder, CACHED_MODEL_NAME, "occupied"), { recursive: true });
    await loadOnnxModel(folder, warn);
    expect(await readdir(folder)).toEqual([CACHED_MODEL_NAME]);
    expect(warnings).toHaveLength(1);
  });
});

describe("the weights", () => {
  it("are refused when they are not the ones that were measured", () => {
    const bytes = new Uint8Array([1, 2, 3]);
    const refusal = (): void => {
      assertDigest(bytes, WEIGHTS_SHA256);
    };
    expect(refusal).toThrow(new RegExp(`${sha256(bytes)} instead of ${WEIGHTS_SHA256}.*reinstall`));
    assertDigest(bytes, sha256(bytes));
  });
});
