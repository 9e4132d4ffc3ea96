import { verify as disagreements } from "../services/index.js";
import { withOwnDatabase } from "./own-database.js";

/** `memgate verify`: names each disagreement, one a line; exit code 1 when there is any. */
export async function verify(): Promise<void> {
  await withOwnDatabase(async (db) => {
    let count = 0;
    for await (const { scopeId, check, memoryId, detail } of disagreements({ db })) {
      process.stdout.write(`scope ${String(scopeId)}  ${check}  ${memoryId ?? "-"}  ${detail}\n`);
      count += 1;
    }
    process.stdout.write(closingLine(count));
    if (count > 0) process.exitCode = 1;
  });
}

function closingLine(count: number): string {
  if (count === 0) return "Everything agrees.\n";
  return count === 1 ? "1 disagreement.\n" : `${String(count)} disagreements.\n`;
}
