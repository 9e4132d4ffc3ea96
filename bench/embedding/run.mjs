// How fast is the embedded model, and what does it leave of the main thread? One table per runtime.
// Usage: npm run build && node bench/embedding/run.mjs [folder of the compiled code]
import { tmpdir } from "node:os";
import path from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { pathToFileURL } from "node:url";
import { makeTexts } from "./make-texts.mjs";

const dist =
  process.argv[2] === undefined ? new URL("../../dist/", import.meta.url) : pathToFileURL(`${process.argv[2]}/`);
const { createEmbedder } = await import(new URL("embeddings/create-embedder.js", dist).href);

const LENGTHS = { "15 words": 15, "110 words": 110 };
const BATCHES = [1, 8, 32];
const settings = {
  provider: "embedded",
  batchSize: 32,
  timeoutMs: 60_000,
  modelDir: path.join(tmpdir(), "memgate-test-models"),
};

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const ms = (value) => `${value.toFixed(1)} ms`;

async function elapsed(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Median ms of one query, and texts per second for documents in calls of each size. */
async function measureSpeed(embedder, words) {
  const texts = makeTexts(96, words);
  const queries = [];
  for (const text of texts.slice(0, 30)) queries.push(await elapsed(() => embedder.embedQuery(text)));
  const rates = [];
  for (const size of BATCHES) {
    const count = size === 1 ? 32 : 96;
    const total = await elapsed(async () => {
      for (let at = 0; at < count; at += size) await embedder.embedDocuments(texts.slice(at, at + size));
    });
    rates.push(((1000 * count) / total).toFixed(0));
  }
  return [ms(median(queries)), ...rates];
}

/** Delay of the main thread's event loop while 500 texts are embedded, and what a query in the middle waits. */
async function measureDelay(embedder) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const waits = [];
  let done = false;
  const documents = embedder.embedDocuments(makeTexts(500, 15)).finally(() => (done = true));
  while (!done) waits.push(await elapsed(() => embedder.embedQuery("Who moved to the harbour in spring?")));
  await documents;
  delay.disable();
  return [ms(delay.mean / 1e6), ms(delay.max / 1e6), ms(median(waits)), ms(Math.max(...waits))];
}

for (const runtime of ["onnx", "wasm"]) {
  let embedder;
  const start = await elapsed(async () => (embedder = await createEmbedder({ ...settings, runtime })));
  const cpu = process.cpuUsage();
  console.log(`## ${embedder.runtime}\n\nReady after ${(start / 1000).toFixed(2)} s.\n`);
  console.log(`| texts of | one query, median | ${BATCHES.map((size) => `texts/s in calls of ${size}`).join(" | ")} |`);
  console.log("| --- | --- | --- | --- | --- |");
  for (const [name, words] of Object.entries(LENGTHS)) {
    console.log(`| ${name} | ${(await measureSpeed(embedder, words)).join(" | ")} |`);
  }
  const [mean, max, query, slowest] = await measureDelay(embedder);
  const { user, system } = process.cpuUsage(cpu);
  console.log("\nWhile 500 texts of 15 words are embedded, with one query after the other beside them:\n");
  console.log("| event-loop delay, mean | max | query, median | slowest |\n| --- | --- | --- | --- |");
  console.log(`| ${mean} | ${max} | ${query} | ${slowest} |\n`);
  console.log(`CPU for all of it: ${((user + system) / 1e6).toFixed(1)} s.\n`);
  await embedder.close();
}
