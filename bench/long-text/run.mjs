// What to do with a text beyond the model's 256 tokens? nDCG@10 of SciFact under each rule.
// Usage: npm run build && node bench/long-text/run.mjs [folder of the compiled code]     (seven minutes of CPU)
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { readScifact } from "./read-scifact.mjs";
import { mean, ndcgAt10, pairedP } from "./ndcg.mjs";

const dist =
  process.argv[2] === undefined ? new URL("../../dist/", import.meta.url) : pathToFileURL(`${process.argv[2]}/`);
const load = (file) => import(new URL(`embeddings/embedded/${file}`, dist).href);
const { createOnnxEncoder } = await load("onnx-encoder.js");
const { RunGate } = await load("run-gate.js");
const { WordPieceTokens, toReadableText } = await load("tokens.js");
const { splitIntoWindows, WINDOW_TOKENS } = await load("windows.js");
const { batchWindows } = await load("batch-windows.js");
const { weightedMean } = await load("pooling.js");

const tokens = await WordPieceTokens.load();
const encoder = await createOnnxEncoder({
  modelDir: path.join(tmpdir(), "memgate-test-models"),
  gate: new RunGate(),
  warn: console.warn,
});

const known = new Map();
const keyOf = (window) => window.ids.join(" ");

/** Vectors of windows, in order; what an earlier rule had encoded already is taken from there. */
async function encodeAll(windows) {
  const fresh = [...new Map(windows.map((window) => [keyOf(window), window])).values()].filter(
    (window) => !known.has(keyOf(window)),
  );
  for (const [done, batch] of batchWindows(fresh, encoder.batchTokens).entries()) {
    const encoded = await encoder.encode(batch.map((placed) => placed.window));
    batch.forEach((placed, index) => known.set(keyOf(placed.window), encoded[index]));
    if (done % 500 === 0) console.error(`${done} batches of ${fresh.length} windows`);
  }
  return windows.map((window) => known.get(keyOf(window)));
}

const windowOf = (text) => ({ text, ids: tokens.encode(text) });
/** The first `limit` tokens, cut hard, as a model server does. */
const headOf = (window, limit) => ({
  ...window,
  ids: window.ids.length <= limit ? window.ids : [...window.ids.slice(0, limit - 1), window.ids.at(-1)],
});

const { documents, claims } = readScifact(new URL("../../../shared/data/scifact/", import.meta.url));
const whole = documents.map(({ text }) => windowOf(toReadableText(text)));
const isLong = whole.map((window) => window.ids.length > WINDOW_TOKENS + 2);
const split = documents.map(({ text }) =>
  splitIntoWindows(toReadableText(text), (part) => tokens.count(part)).map(windowOf),
);

const heads = await encodeAll(whole.map((window) => headOf(window, 256)));
const parts = await encodeAll(split.flat());
let next = 0;
const windows = split.map((own) => own.map((window) => ({ vector: parts[next++], weight: window.ids.length - 2 })));

const rules = {
  "cut at 256 tokens": heads,
  "windows of 256, mean by tokens": windows.map(weightedMean),
  "windows of 256, plain mean": windows.map((own) => weightedMean(own.map(({ vector }) => ({ vector, weight: 1 })))),
  "windows of 256, first twice": windows.map((own) =>
    weightedMean(own.map(({ vector, weight }, index) => ({ vector, weight: index === 0 ? 2 * weight : weight }))),
  ),
};

const queries = await encodeAll(claims.map((claim) => windowOf(toReadableText(claim.text))));
const place = new Map(documents.map(({ id }, index) => [id, index]));
const judged = claims.map((claim, index) => ({ vector: queries[index], gold: claim.gold.map((id) => place.get(id)) }));
const groups = {
  all: judged,
  "every gold abstract long": judged.filter(({ gold }) => gold.every((index) => isLong[index])),
  "every gold abstract short": judged.filter(({ gold }) => gold.every((index) => !isLong[index])),
};

const percent = (share) => (100 * share).toFixed(1);
const [baseline] = Object.values(rules);

/** The mean, and against the first rule: how many claims gained or lost, and p of the difference. */
function describe(group, vectors) {
  const scores = ndcgAt10(group, vectors);
  if (vectors === baseline) return percent(mean(scores));
  const before = ndcgAt10(group, baseline);
  const gained = scores.filter((score, index) => score > before[index]).length;
  const lost = scores.filter((score, index) => score < before[index]).length;
  const p = pairedP(scores, before);
  return `${percent(mean(scores))} (+${gained} −${lost}, p ${p < 0.01 ? "< 0.01" : p.toFixed(2)})`;
}

const lines = [
  `| rule | ${Object.entries(groups)
    .map(([name, group]) => `${name} (${group.length})`)
    .join(" | ")} |`,
  `| --- |${" --- |".repeat(Object.keys(groups).length)}`,
  ...Object.entries(rules).map(([name, vectors]) => {
    const cells = Object.values(groups).map((group) => describe(group, vectors));
    return `| ${name} | ${cells.join(" | ")} |`;
  }),
];
const longShare = percent(isLong.filter(Boolean).length / isLong.length);
const mostWindows = Math.max(...split.map((own) => own.length));
console.log(`${documents.length} abstracts, ${longShare} % beyond 256 tokens, at most ${mostWindows} windows\n`);
console.log(lines.join("\n"));
await encoder.release();
