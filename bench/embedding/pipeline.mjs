// What does the pipeline cost? Texts per second of the embedded model and of a loopback provider through it, beside the
// same without it: the model asked directly, and a loop of bare fetch calls. One table each; takes about a minute.
// Usage: npm run build && node bench/embedding/pipeline.mjs [folder of the compiled code]
import { fork } from "node:child_process";
import { once } from "node:events";
import { loadavg, tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { makeTexts } from "./make-texts.mjs";

const dist =
  process.argv[2] === undefined ? new URL("../../dist/", import.meta.url) : pathToFileURL(`${process.argv[2]}/`);
const load = (file) => import(new URL(file, dist).href);
const { executeEmbeddingBatchesWithRetry, httpProvider } = await load("index.js");
const { EmbeddedModel } = await load("embeddings/embedded/embedded-model.js");

const BATCHES = [1, 8, 32];
const DIMENSIONS = 384;
const WORDS = 110;
const ROUNDS = 7;

/** Milliseconds that a piece of work takes, by the clock and of this process's processor time. */
async function cost(work) {
  const [start, before] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(before);
  return { clock: performance.now() - start, cpu: (user + system) / 1000 };
}

/** The least of each way over rounds in which they take turns: what other work on the machine adds is left out. */
async function inTurn(...ways) {
  const costs = ways.map(() => []);
  for (const way of ways) await way();
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, way] of ways.entries()) costs[index].push(await cost(way));
  }
  const least = (each, measure) => Math.min(...each.map((one) => one[measure]));
  return costs.map((each) => ({ clock: least(each, "clock"), cpu: least(each, "cpu") }));
}

const slices = (texts, size) =>
  Array.from({ length: Math.ceil(texts.length / size) }, (_, index) => texts.slice(index * size, (index + 1) * size));

const rate = (count, { clock }) => ((1000 * count) / clock).toFixed(0);
const ratio = (without, through) => (through.clock / without.clock).toFixed(2);
const micros = (count, cpu) => `${((1000 * cpu) / count).toFixed(0)} µs`;

function printTable(title, columns) {
  console.log(`\n## ${title}\n\n| ${columns.join(" | ")} |\n|${" --- |".repeat(columns.length)}`);
}

function printRow(...cells) {
  console.log(`| ${cells.join(" | ")} |`);
}

async function measureLoopback() {
  const server = fork(fileURLToPath(new URL("loopback-server.mjs", import.meta.url)), [String(DIMENSIONS)]);
  const [port] = await once(server, "message");
  const baseUrl = `http://127.0.0.1:${port}/v1`;
  const provider = httpProvider("openai", { baseUrl, model: "m" });
  const post = async (input) => {
    const body = JSON.stringify({ model: "m", input: input.length === 1 ? input[0] : input, encoding_format: "float" });
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${baseUrl}/embeddings`, { method: "POST", headers, body });
    return (await response.json()).data.map(({ embedding }) => new Float32Array(embedding));
  };
  printTable(`A loopback provider of ${DIMENSIONS} dimensions, texts of ${WORDS} words`, [
    ...["texts in a request", "texts/s, bare fetch", "texts/s, pipeline", "time, ratio"],
    ...["CPU of a text, bare fetch", "CPU of a text, pipeline", "added"],
  ]);
  for (const size of BATCHES) {
    const texts = makeTexts(size === 1 ? 512 : 2048, WORDS);
    const bare = async () => {
      for (const slice of slices(texts, size)) await post(slice);
    };
    const through = () => executeEmbeddingBatchesWithRetry(provider, texts, { batchSize: size });
    const count = texts.length;
    const [without, piped] = await inTurn(bare, through);
    const cpu = [without.cpu, piped.cpu, piped.cpu - without.cpu].map((each) => micros(count, each));
    printRow(size, rate(count, without), rate(count, piped), ratio(without, piped), ...cpu);
  }
  server.disconnect();
}

async function measureEmbedded() {
  const model = new EmbeddedModel({
    workerUrl: new URL("embeddings/embedded/worker.js", dist),
    runtime: "onnx",
    modelDir: path.join(tmpdir(), "memgate-test-models"),
    warn: console.error,
  });
  await model.start();
  const { signal } = new AbortController();
  printTable(`The embedded model on ${model.runtime}, texts of 15 words`, [
    ...["texts in a request", "texts/s, model alone", "texts/s, pipeline", "time, ratio"],
  ]);
  for (const size of BATCHES) {
    const texts = makeTexts(size === 1 ? 64 : 192, 15);
    const alone = async () => {
      for (const slice of slices(texts, size)) await model.send(slice, { purpose: "document", signal });
    };
    const rules = { batchSize: size, timeoutMs: null, retries: 0 };
    const through = () => executeEmbeddingBatchesWithRetry(model, texts, rules);
    const [without, piped] = await inTurn(alone, through);
    printRow(size, rate(texts.length, without), rate(texts.length, piped), ratio(without, piped));
  }
  await model.close();
}

console.log(`Load average at the start: ${loadavg()[0].toFixed(1)}`);
await measureLoopback();
await measureEmbedded();
