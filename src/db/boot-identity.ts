import { existsSync, readFileSync } from "node:fs";

/**
 * What tells one process from a later one that got the same pid: the boot and the start time within it.
 * `""` where the system does not say (no /proc); then a pid that is alive counts as the holder.
 */
export function bootId(): string {
  return readOrEmpty("/proc/sys/kernel/random/boot_id").trim();
}

/** A process that has ended stays in the table until its parent asks for its exit code, which some never do. */
const ENDED = new Set(["Z", "X"]);

/** Start time of a process in clock ticks since the boot, `""` when no such process runs or there is no /proc. */
export function processStart(pid: number): string {
  const stat = readOrEmpty(`/proc/${String(pid)}/stat`);
  // The command stands in parentheses and may itself hold spaces and parentheses; state is field 3, start time 22.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return ENDED.has(fields[0] ?? "") ? "" : (fields[19] ?? "");
}

/** Whether a process with this pid exists, whoever owns it. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function readOrEmpty(file: string): string {
  if (!existsSync(file)) return "";
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
