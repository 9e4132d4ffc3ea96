import { setTimeout as sleep } from "node:timers/promises";

/** Asks every 20 ms until the answer is true; rejects after `timeoutMs`. */
export async function until(ask: () => Promise<boolean>, timeoutMs = 15_000): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await ask())) {
    if (Date.now() > deadline) throw new Error(`not so within ${String(timeoutMs)} ms`);
    await sleep(20);
  }
}
