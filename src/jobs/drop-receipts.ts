import { setTimeout as sleep } from "node:timers/promises";
import type { Services } from "../services/index.js";

const DAY_MS = 86_400_000;

/** Drops outlived receipts once a day for as long as the process lives; the first time an hour after the start. */
export function startDroppingReceipts(
  services: Pick<Services, "dropOldReceipts">,
  log: { warn(details: object, message: string): void },
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const run = async (): Promise<void> => {
    for (let pause = DAY_MS / 24; ; pause = DAY_MS) {
      await sleep(pause, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      await services.dropOldReceipts(signal).catch((error: unknown) => {
        log.warn({ err: error }, "outlived receipts could not be dropped");
      });
    }
  };
  const running = run();
  return {
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}
