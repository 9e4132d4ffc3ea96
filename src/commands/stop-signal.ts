import { constants } from "node:os";

/** `npm start` passes on the Ctrl-C that the terminal has sent to us already: a second one so soon is the same one, in ms. */
const SAME_REQUEST_MS = 500;

/** Resolves at SIGTERM or SIGINT, to end in good order; the next one ends the process at once. */
export async function stopSignal(): Promise<NodeJS.Signals> {
  return await new Promise((resolve) => {
    let firstAt: number | undefined;
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      process.on(signal, () => {
        if (firstAt === undefined) {
          firstAt = performance.now();
          resolve(signal);
        } else if (performance.now() - firstAt > SAME_REQUEST_MS) process.exit(exitCodeOf(signal));
      });
    }
  });
}

/** What a shell says of a process that a signal has ended. */
export function exitCodeOf(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}
