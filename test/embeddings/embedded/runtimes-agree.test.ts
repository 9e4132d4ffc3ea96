import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { createEmbedder } from "../../../src/embeddings/create-embedder.js";
import type { Embedder } from "../../../src/embeddings/embedder.js";
import { cosine } from "../../support/cosine.js";
import { embeddedSettings } from "../../support/embedded-settings.js";

const TEXTS: Readonly<Record<string, string>> = {
  "a word": "tea",
  "a sentence": "Caroline went to the support group on 7 May 2023.",
  "2,000 characters": "The committee met again, and nothing was decided before lunch. ".repeat(32).slice(0, 2000),
  "several windows": "Anna moved to Lisbon in spring. She works at the harbour, and she likes it! ".repeat(40),
  "a sentence without end": "and then ".repeat(300),
  accents: "Café naïve façade, Åse und İstanbul; e\u0301\u0327 combining",
  emoji: "I like 🍕 and 😀! 👨‍👩‍👧‍👦 🇩🇪 ✌🏽",
  Cyrillic: "Привет, мир — «тест»",
  "Chinese and Japanese": "家族は東京に住んでいます。记忆".repeat(30),
  "rare ideographs": "𠀀𠀁 and 𪚥𪚥 end",
  Korean: "한국어 문장입니다",
  Arabic: "العربية لغة جميلة",
  "special tokens": "[SEP] and [CLS] [MASK] [PAD]",
  "signs and code": "snake_case kebab-case http://x.y/z?q=1&b=2 `~^$+<=>| €£¥ ½ ² ∑ ≠",
  "control characters": "a\u0000b\u0001c\u200bd\ufeffe \u2028line\u0085",
  "half an emoji": "\ud83d alone",
  "a word that is too long": `${"x".repeat(101)} tail`,
};

describe("the two runtimes of the embedded model", () => {
  let onnx: Embedder;
  let wasm: Embedder;

  beforeAll(async () => {
    onnx = await createEmbedder(embeddedSettings({ runtime: "onnx" }));
    wasm = await createEmbedder(embeddedSettings({ runtime: "wasm" }));
  });

  afterAll(async () => {
    await onnx.close();
    await wasm.close();
  });

  it("fill the same space", () => {
    expect(onnx.space).toEqual(wasm.space);
    expect(onnx.space).toEqual({
      provider: "embedded",
      model: "all-MiniLM-L6-v2",
      revision: "6638f625a0a6",
      dimensions: 384,
      recipe: "windows_mean_v1",
    });
    expect(onnx.runtime).toMatch(/^onnxruntime-node \d/);
    expect(wasm.runtime).toMatch(/WebAssembly/);
  });

  it.each(Object.entries(TEXTS))("agree on %s", async (_, text) => {
    const [fromOnnx, fromWasm] = await Promise.all([onnx.embedDocuments([text]), wasm.embedDocuments([text])]);
    expect(cosine(fromOnnx[0]?.vector ?? new Float32Array(), fromWasm[0]?.vector)).toBeGreaterThan(1 - 1e-5);
    expect(fromOnnx[0]?.truncated).toBe(fromWasm[0]?.truncated);
  });
});
