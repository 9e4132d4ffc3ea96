import { writeSync } from "node:fs";

/**
 * Prints `N passed, N failed, N skipped` as the last line of this process.
 *
 * @param {{ passed: number, failed: number, skipped: number }} counts
 */
export function printAtExit({ passed, failed, skipped }) {
  const line = `${String(passed)} passed, ${String(failed)} failed, ${String(skipped)} skipped\n`;
  // Not process.stdout: jest silences it before it exits on an error.
  process.once("exit", () => {
    for (let written = false; !written; written = tryWrite(line));
  });
}

/** @param {string} line */
function tryWrite(line) {
  try {
    return writeSync(1, line) > 0;
  } catch (error) {
    // The pipe is full, its reader is slow.
    if (error instanceof Error && "code" in error && error.code === "EAGAIN") return false;
    throw error;
  }
}
