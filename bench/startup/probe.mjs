import { setTimeout as sleep } from "node:timers/promises";

/** Pause between two requests, in ms. */
const PAUSE_MS = 5;

/**
 * Milliseconds of each GET /health/live, one after the other over a kept connection, until `done` says so.
 *
 * @param {string} url
 * @param {() => boolean} done
 */
async function probe(url, done) {
  const times = [];
  while (!done()) {
    const started = performance.now();
    await (await fetch(`${url}/health/live`)).arrayBuffer();
    times.push(performance.now() - started);
    await sleep(PAUSE_MS);
  }
  return times;
}

/**
 * @param {string} url
 * @param {number} ms
 */
export async function probeLive(url, ms) {
  const end = performance.now() + ms;
  return await probe(url, () => performance.now() >= end);
}

/**
 * @param {string} url
 * @param {() => Promise<void>} work
 */
export async function probeWhile(url, work) {
  let done = false;
  const working = work().finally(() => (done = true));
  const [times] = await Promise.all([probe(url, () => done), working]);
  return times;
}
