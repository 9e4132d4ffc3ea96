import { dropReceipts } from "../db/queries/receipts.js";
import { scopesAfter } from "../db/queries/scopes.js";
import type { ServiceDeps } from "./deps.js";

/** Drops receipts that have outlived their retention, scope by scope; none where they are kept for ever. */
export async function dropOldReceipts(deps: ServiceDeps, signal: AbortSignal): Promise<void> {
  const { receiptRetentionMs: kept } = deps;
  if (kept === null) return;
  const before = new Date(deps.clock().getTime() - kept);
  for (let last = 0; !signal.aborted;) {
    const scopes = await scopesAfter(deps.db, last);
    for (const id of scopes) await dropReceipts(deps.db.inScope(id), id, before);
    const [end] = scopes.slice(-1);
    if (end === undefined) return;
    last = end;
  }
}
