import { readFileSync } from "node:fs";

/** Linux counts in hundredths of a second. */
const TICKS_PER_MS = 0.1;

/** CPU that each process has had so far, user and system, in ms. */
export function cpuTimes(pids) {
  return new Map(pids.map((pid) => [pid, ticks(pid) / TICKS_PER_MS]));
}

/** What was added between two readings; a process that came in between counts whole, one that went not at all. */
export function cpuBetween(before, after) {
  return [...after].reduce((sum, [pid, ms]) => sum + Math.max(0, ms - (before.get(pid) ?? 0)), 0);
}

/** Fields 14 and 15 of /proc/PID/stat; the second field, the name in parentheses, may hold spaces. */
function ticks(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return Number(fields[11]) + Number(fields[12]);
  } catch {
    return 0;
  }
}
