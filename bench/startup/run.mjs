// How long does the server take to start, and does it stay responsive while it embeds?
// Usage: npm run build && node bench/startup/run.mjs [folder of the compiled code]          (about four minutes)
// MEMGATE_BENCH_DATABASE_URL adds rows for an empty Postgres database, which is left with the bench's memories in it.
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { fillStore, postBatch } from "./memories.mjs";
import { openTimes } from "./open-times.mjs";
import { probeLive, probeWhile } from "./probe.mjs";
import { startServer } from "./server.mjs";
import { median, percentile } from "./statistics.mjs";

const dist = process.argv[2] ?? fileURLToPath(new URL("../../dist/", import.meta.url));
const RUNS = 7;
const STORED = 5_000;
const BATCHES = 6;
const IDLE_MS = 5_000;

const root = mkdtempSync(path.join(tmpdir(), "memgate-bench-"));
process.once("exit", () => rmSync(root, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

const folders = await prepareFolders();
const { runtime } = folders;
console.log(`${availableParallelism()} cores, Node ${process.versions.node}, ${runtime}; ${RUNS} runs each\n`);
await reportStart();
await reportOpen();
await reportLive();

/** Folders to start from; each has the generated model file except `new, without the model file`. */
async function prepareFolders() {
  const empty = path.join(root, "empty");
  const first = await startServer(dist, empty);
  await first.stop();
  const models = path.join(root, "models-only");
  mkdirSync(models);
  cpSync(path.join(empty, "models"), path.join(models, "models"), { recursive: true });
  const full = path.join(root, "full");
  cpSync(empty, full, { recursive: true });
  const server = await startServer(dist, full);
  await fillStore(server.url, STORED);
  await server.stop();
  return {
    runtime: first.runtime,
    starts: { "existing, empty": empty, new: models, [`existing, ${STORED} memories`]: full },
  };
}

async function reportStart() {
  const times = {};
  for (let run = 0; run < RUNS; run += 1) {
    for (const [name, folder] of Object.entries({ ...folders.starts, "new, model file to be made": undefined })) {
      const copy = path.join(root, "start");
      if (folder === undefined) mkdirSync(copy);
      else cpSync(folder, copy, { recursive: true });
      const server = await startServer(dist, copy);
      await server.stop();
      rmSync(copy, { recursive: true });
      (times[name] ??= []).push(server.readyMs);
    }
  }
  printTimes("process start to the first 200 of /health/ready", times);
}

async function reportOpen() {
  const times = {};
  for (let run = 0; run < RUNS; run += 1) {
    for (const [name, folder] of Object.entries(folders.starts)) {
      const copy = path.join(root, "open");
      cpSync(folder, copy, { recursive: true });
      (times[name] ??= []).push(await openTimes(dist, path.join(copy, "postgres")));
      rmSync(copy, { recursive: true });
    }
  }
  printTimes("of which the database: open and migrate, in a process of its own", times);
}

function printTimes(what, times) {
  const base = median(times["existing, empty"]);
  const rows = Object.entries(times).map(([name, all]) => {
    const ratio = (median(all) / base).toFixed(2);
    return `| ${name} | ${[median(all), Math.min(...all), Math.max(...all)].map(Math.round).join(" | ")} | ${ratio} |`;
  });
  console.log(`| ${what} | median ms | min | max | ratio |\n| --- | --: | --: | --: | --: |\n${rows.join("\n")}\n`);
}

async function reportLive() {
  const rows = [];
  const url = process.env.MEMGATE_BENCH_DATABASE_URL;
  for (const database of url === undefined ? ["embedded"] : ["embedded", "postgres"]) {
    for (const embedding of ["auto", "wasm"]) {
      const data = path.join(root, `live-${database}-${embedding}`);
      cpSync(folders.starts.new, data, { recursive: true });
      const DATABASE_URL = database === "postgres" ? url : "";
      const server = await startServer(dist, data, { EMBEDDING_RUNTIME: embedding, DATABASE_URL });
      const named = `${database} database, ${server.runtime}`;
      await postBatch(server.url, 0);
      rows.push([`idle, ${named}`, await probeLive(server.url, IDLE_MS)]);
      const busy = [];
      for (let batch = 1; batch <= BATCHES; batch += 1) {
        busy.push(...(await probeWhile(server.url, () => postBatch(server.url, batch))));
      }
      rows.push([`batches of 500, ${named}`, busy]);
      await server.stop();
    }
  }
  console.log("| /health/live while | requests | p50 ms | p99 | max |\n| --- | --: | --: | --: | --: | --: |");
  for (const [name, all] of rows) {
    const numbers = [percentile(all, 50), percentile(all, 99), Math.max(...all)].map((ms) => ms.toFixed(1));
    console.log(`| ${name} | ${all.length} | ${numbers.join(" | ")} |`);
  }
}
