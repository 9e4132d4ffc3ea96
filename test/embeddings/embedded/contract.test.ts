import { createEmbedder } from "../../../src/embeddings/create-embedder.js";
import { embeddedSettings } from "../../support/embedded-settings.js";
import { describeEmbedder } from "../embedder-contract.js";

describeEmbedder({
  name: "the embedded model on onnxruntime",
  create: () => createEmbedder(embeddedSettings({ runtime: "onnx" })),
});
describeEmbedder({
  name: "the embedded model on WebAssembly",
  create: () => createEmbedder(embeddedSettings({ runtime: "wasm" })),
});
