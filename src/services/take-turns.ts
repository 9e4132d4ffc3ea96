import { setImmediate } from "node:timers/promises";

/** How long the event loop may be held before others get a turn, in ms. */
const TURN_MS = 20;

/** For long work in steps: what it returns is to be awaited between them, and lets others have a turn when it is time. */
export function turnTaker(): () => Promise<void> {
  let began = performance.now();
  return async () => {
    if (performance.now() - began <= TURN_MS) return;
    await setImmediate();
    began = performance.now();
  };
}
