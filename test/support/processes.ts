import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Ends processes at once, as a crash would, and waits until they are gone. */
export async function killNow(pids: readonly number[]): Promise<void> {
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // Gone already.
    }
  }
  while (pids.some(isAlive)) await sleep(10);
}

function isAlive(pid: number): boolean {
  return stateOf(pid) !== undefined && stateOf(pid)?.state !== "Z";
}

/** The processes that another one started (Linux). */
export function childrenOf(parent: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => stateOf(pid)?.parent === parent);
}

function stateOf(pid: number): { state: string; parent: number } | undefined {
  try {
    // The name, in parentheses, may hold anything.
    const [state = "", parent] = readFileSync(`/proc/${String(pid)}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    return { state, parent: Number(parent) };
  } catch {
    return undefined;
  }
}
