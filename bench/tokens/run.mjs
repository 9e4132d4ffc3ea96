// How far is a count in o200k_base from other vocabularies, and what does counting cost?
// Usage: npm run build && node bench/tokens/run.mjs <folder with locomo-5.json>
import { readFileSync } from "node:fs";
import path from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { contextsOf } from "./contexts.mjs";

const SIZE = 64 * 1024;
const PLAIN = { disallowedSpecial: new Set() };

const elapsed = async (work) => {
  const start = performance.now();
  await work();
  return performance.now() - start;
};
const ms = (value) => `${value.toFixed(value < 100 ? 1 : 0)} ms`;

const rss = process.memoryUsage().rss;
const { loadTokenCounter } = await import("../../dist/core/count-tokens.js");
const { packContext } = await import("../../dist/services/pack-context.js");
const loaded = await elapsed(loadTokenCounter);
console.log(`Loaded in ${ms(loaded)}, ${Math.round((process.memoryUsage().rss - rss) / 1e6)} MB.\n`);
const count = await loadTokenCounter();
const library = {};
for (const name of ["o200k_base", "cl100k_base", "p50k_base"]) {
  library[name] = await import(`gpt-tokenizer/encoding/${name}`);
}

const conversations = JSON.parse(readFileSync(path.join(process.argv[2], "locomo-5.json"), "utf8"));
const contexts = contextsOf(conversations, count);

function compareVocabularies() {
  console.log(`${contexts.length} contexts of ten memories.\n`);
  console.log("| vocabulary | text | tokens | against o200k_base | 5 % to 95 % of the contexts | least to most |");
  console.log("| --- | --- | --- | --- | --- | --- |");
  for (const [name, { countTokens }] of Object.entries(library)) {
    for (const text of ["bare", "injectionText"]) {
      const pairs = contexts.map((each) => [countTokens(each[text], PLAIN), count(each[text])]);
      const sums = pairs.reduce(([a, b], [x, y]) => [a + x, b + y], [0, 0]);
      const ratios = pairs.map(([other, ours]) => other / ours).sort((a, b) => a - b);
      const at = (share) => percent(ratios[Math.round(share * (ratios.length - 1))]);
      const label = text === "bare" ? "contents" : "injection_text";
      const cells = [name, label, sums[0], percent(sums[0] / sums[1]), `${at(0.05)} to ${at(0.95)}`];
      console.log(`| ${cells.join(" | ")} | ${at(0)} to ${at(1)} |`);
    }
  }
}

function percent(ratio) {
  const value = (100 * (ratio - 1)).toFixed(1);
  return value.startsWith("-") ? `−${value.slice(1)} %` : `+${value} %`;
}

/** Small and seeded: the same texts every time. */
function random(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function shuffled(alphabet, bytes) {
  const next = random(7);
  const units = Array.from(alphabet);
  let text = "";
  for (let size = 0; size < bytes;) {
    const unit = units[Math.floor(next() * units.length)];
    text += unit;
    size += Buffer.byteLength(unit);
  }
  return text;
}

const TEXTS = {
  "English (LoCoMo)": contexts
    .map(({ bare }) => bare)
    .join("\n")
    .slice(0, SIZE),
  "one letter": "a".repeat(SIZE),
  "random letters": shuffled("abcdefghijklmnopqrstuvwxyz", SIZE),
  "random capitals": shuffled("ABCDEFGHIJKLMNOPQRSTUVWXYZ", SIZE),
  spaces: " ".repeat(SIZE),
  "line breaks": "\n".repeat(SIZE),
  dashes: "-".repeat(SIZE),
  "random Han": shuffled("東京都庁日本語漢字国会議事堂", SIZE),
  "random emoji": shuffled("😀🎉🏽🌍🚀", SIZE),
  "combining marks": "\u0301".repeat(SIZE / 2),
  "& (escaped: 320 KiB)": "&amp;".repeat(SIZE),
};

async function compareSpeed() {
  console.log("\n| 64 KiB of | tokens | here | gpt-tokenizer | agree |\n| --- | --- | --- | --- | --- |");
  for (const [name, text] of Object.entries(TEXTS)) {
    let best = Infinity;
    for (let run = 0; run < 3; run += 1) best = Math.min(best, await elapsed(() => count(text)));
    library.o200k_base.clearMergeCache();
    let theirs = 0;
    const time = await elapsed(() => (theirs = library.o200k_base.countTokens(text, PLAIN)));
    console.log(`| ${name} | ${theirs} | ${ms(best)} | ${ms(time)} | ${theirs === count(text) ? "yes" : "no"} |`);
  }
}

/** A hundred memories of 64 KiB, the most that a search returns, with and without a budget. */
async function measureLargest() {
  console.log("\n| 100 memories of 64 KiB of | token_budget | time | longest hold of the event loop |");
  console.log("| --- | --- | --- | --- |");
  for (const name of ["English (LoCoMo)", "random letters"]) {
    const memories = Array.from({ length: 100 }, (_, index) => ({
      ...{ id: String(index), content: TEXTS[name], eventAt: new Date(), sourceSite: null },
    }));
    for (const budget of [undefined, 4_000]) {
      await sleep(100);
      const delay = monitorEventLoopDelay({ resolution: 1 });
      delay.enable();
      const time = await elapsed(() => packContext(memories, budget));
      await sleep(5);
      delay.disable();
      console.log(`| ${name} | ${budget ?? "none"} | ${ms(time)} | ${ms(delay.max / 1e6)} |`);
    }
  }
}

/** What every search pays: five memories of a sentence or two. */
async function measureUsual() {
  const [{ bare }] = contexts;
  const memories = bare
    .split("\n")
    .slice(0, 5)
    .map((content) => ({
      ...{ id: "m", content, eventAt: new Date("2026-03-01T00:00:00Z"), sourceSite: null },
    }));
  for (let run = 0; run < 200; run += 1) await packContext(memories);
  const total = await elapsed(async () => {
    for (let run = 0; run < 1_000; run += 1) await packContext(memories);
  });
  console.log(`\nFive memories of a turn each: ${(total / 1_000).toFixed(3)} ms.`);
}

compareVocabularies();
await compareSpeed();
await measureLargest();
await measureUsual();
