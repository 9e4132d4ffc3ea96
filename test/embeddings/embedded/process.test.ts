import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "@jest/globals";
import { embeddedSettings } from "../../support/embedded-settings.js";

const factory = new URL("../../../dist/embeddings/create-embedder.js", import.meta.url).href;

/** Runs a script that has an `embedder` in a process of its own; rejects unless that exits with 0 within 20 s. */
async function run(script: string, runtime: "onnx" | "wasm"): Promise<string> {
  const { workerUrl, ...settings } = embeddedSettings({ runtime });
  const source = `
    import { createEmbedder } from ${JSON.stringify(factory)};
    const embedder = await createEmbedder(${JSON.stringify(settings)});
    const texts = Array.from({ length: 500 }, (_, index) => index + " a text of some length".repeat(1 + (index % 8)));
    ${script}`;
  const { stdout } = await promisify(execFile)("node", ["--input-type=module", "--eval", source], { timeout: 20_000 });
  return stdout;
}

describe.each(["onnx", "wasm"] as const)("a process that embeds with %s", (runtime) => {
  it("ends by itself after close, with work under way", async () => {
    const script = `
      embedder.embedDocuments(texts).catch((error) => console.log(error.code));
      setTimeout(() => embedder.close(), 200);`;
    expect(await run(script, runtime)).toBe("embedding_unavailable\n");
  });

  it("ends by itself when nobody closed the idle embedder", async () => {
    expect(await run(`console.log((await embedder.embedQuery("tea")).length);`, runtime)).toBe("384\n");
  });

  it("stays until what was asked for is done", async () => {
    expect(
      await run(`embedder.embedDocuments(texts.slice(0, 20)).then((all) => console.log(all.length));`, runtime),
    ).toBe("20\n");
  });

  it("may exit in the middle of a computation without aborting", async () => {
    await run(`embedder.embedDocuments(texts); setTimeout(() => process.exit(0), 200);`, runtime);
  });
});

describe("the main thread", () => {
  it("stays responsive while 200 texts are embedded", async () => {
    const script = `
      import { monitorEventLoopDelay } from "node:perf_hooks";
      const delay = monitorEventLoopDelay({ resolution: 5 });
      delay.enable();
      await embedder.embedDocuments(texts.slice(0, 200));
      console.log(delay.mean / 1e6);`;
    expect(Number(await run(script, "onnx"))).toBeLessThan(50);
  });

  it("has a query answered long before the documents that were there first", async () => {
    const script = `
      const start = performance.now();
      const documents = embedder.embedDocuments(texts).then(() => performance.now() - start);
      await new Promise((resolve) => setTimeout(resolve, 100));
      const asked = performance.now();
      await embedder.embedQuery("who went to Lisbon?");
      const query = performance.now() - asked;
      console.log((await documents) / query);`;
    expect(Number(await run(script, "onnx"))).toBeGreaterThan(5);
  });
});
