import { percentile } from "../startup/statistics.mjs";
import { post, userOf } from "./client.mjs";
import { question } from "./corpus.mjs";
import { cpuBetween, cpuTimes } from "./cpu-time.mjs";
import { runClients } from "./load.mjs";
import { MODES } from "./modes.mjs";

/** Different questions of one case. */
export const QUESTIONS = 40;
export const CLIENTS = [1, 8];

/** Requests of one round: enough for a percentile, no more than some seconds' worth. */
const LEAST = 16;
const MOST = 100;
const ROUND_MS = 3_000;

/** The body of the `n`-th request. */
export function requestOf(mode, size, n) {
  return { user_id: userOf(size), query: question(n % QUESTIONS, size), ...MODES[mode].body };
}

/** Whether the server has this mode. */
export async function isServed(url, mode, size) {
  const { status } = await post(url + MODES[mode].path, requestOf(mode, size, 0));
  return status === 200;
}

/** `work(n)` of a search over HTTP, which resolves with the reply's own times. */
export function httpSearch(url, mode, size) {
  return async (n) => {
    const { status, body } = await post(url + MODES[mode].path, requestOf(mode, size, n));
    if (status !== 200) throw new Error(`a search answered ${status}: ${JSON.stringify(body)}`);
    return body.timing_ms;
  };
}

/**
 * Measures several kinds of work in turns, so that what else the machine does meets them alike.
 *
 * @param {Record<string, { work: (n: number) => Promise<unknown>, pids: () => Promise<Record<string, number[]>> }>} kinds
 *   `pids`: the processes whose CPU is counted, by name
 * @returns samples of each kind, and CPU in ms per call by name
 */
export async function inTurns(kinds, { clients, rounds }) {
  const measured = {};
  for (const [name, { work }] of Object.entries(kinds)) {
    const warm = await runClients(work, { clients, first: 0, count: 2 * clients });
    const typical =
      percentile(
        warm.map(({ ms }) => ms),
        50,
      ) / clients;
    const count = Math.min(MOST, Math.max(LEAST, Math.round(ROUND_MS / typical)));
    measured[name] = { count, samples: [], cpu: {} };
  }
  for (let round = 0; round < rounds; round++) {
    for (const [name, { work, pids }] of Object.entries(kinds)) {
      const own = measured[name];
      const before = await cpuOf(pids);
      own.samples.push(...(await runClients(work, { clients, first: round * own.count, count: own.count })));
      for (const [who, after] of Object.entries(await cpuOf(pids))) {
        own.cpu[who] = (own.cpu[who] ?? 0) + cpuBetween(before[who], after);
      }
    }
  }
  for (const { cpu, samples } of Object.values(measured)) for (const who in cpu) cpu[who] /= samples.length;
  return measured;
}

async function cpuOf(pids) {
  return Object.fromEntries(Object.entries(await pids()).map(([who, ids]) => [who, cpuTimes(ids)]));
}
