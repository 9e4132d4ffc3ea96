import { createHash } from "node:crypto";
import type { Runnable } from "../db/database.js";
import { countPostings, countRows, ERASED_PLACES, type ErasedCounts } from "../db/queries/erase-memories.js";
import { countReceipts } from "../db/queries/erase-receipts.js";
import type { ErasableRow } from "../db/queries/erase-targets.js";
import { inChunks } from "./in-chunks.js";
import type { PlannedWrite } from "./write-across-scopes.js";

/** Memories in one statement. */
export const ERASE_CHUNK = 5_000;

/** Adds up what goes, place by place. */
export class ErasedTotal {
  private readonly total = new Map<string, number>();

  add(counts: Partial<ErasedCounts>): void {
    for (const [place, count] of Object.entries(counts)) this.total.set(place, (this.total.get(place) ?? 0) + count);
  }

  get counts(): ErasedCounts {
    return Object.fromEntries(ERASED_PLACES.map((place) => [place, this.total.get(place) ?? 0])) as ErasedCounts;
  }
}

/** Adds what erasing these memories of a scope would take, without taking it. */
export async function countErasable(
  total: ErasedTotal,
  tx: Runnable,
  { scopeId, plan }: PlannedWrite<readonly ErasableRow[]>,
): Promise<void> {
  for (const rows of inChunks(plan, ERASE_CHUNK))
    total.add({ memories: rows.length, ...(await countRows(tx, scopeId, rows)) });
  total.add({
    postings: await countPostings(tx, scopeId, plan),
    receipts: await countReceipts(
      tx,
      scopeId,
      plan.map((row) => row.id),
    ),
  });
}

/** Names which memories at which revisions are meant, in hex: another one when any of them, or their number, changes. */
export function digestOf(plans: readonly PlannedWrite<readonly ErasableRow[]>[]): string {
  const hash = createHash("sha256");
  for (const { scopeId, plan } of plans) {
    for (const { id, revision } of plan) hash.update(`${String(scopeId)} ${id} ${String(revision)}\n`);
  }
  return hash.digest("hex");
}
