import { MemgateError } from "../core/errors.js";
import { chainEvents, type Change } from "../core/journal.js";
import type { Queryable, Runnable } from "../db/database.js";
import { findReceipt, insertReceipt, type ReceiptName } from "../db/queries/receipts.js";
import { advanceScopeHead, lockScopeHead, type ScopeHead } from "../db/queries/scope-heads.js";
import type { ServiceDeps } from "./deps.js";
import type { SpaceVectors } from "./embed-in-spaces.js";

/** A command that may be sent again: its name, and a fingerprint that tells it from any other under the same key. */
export interface Once extends ReceiptName {
  readonly fingerprint: string;
}

/** One write to one scope: its transaction, its clock, and what the head row has to know in the end. */
export class ScopeWrite {
  readonly changes: Change[] = [];
  live = 0;
  pending = false;
  private embeddedIn: readonly number[] | null = null;

  constructor(
    readonly tx: Queryable,
    readonly scopeId: number,
    private readonly begun: { readonly head: ScopeHead; readonly at: Date },
  ) {
    this.lastMemoryNo = begun.head.lastMemoryNo;
  }

  private lastMemoryNo: number;

  /** The write's one time. */
  get at(): Date {
    return this.begun.at;
  }

  takeMemoryNo(): number {
    this.lastMemoryNo += 1;
    return this.lastMemoryNo;
  }

  /** A content was written, with these vectors: a space that has none of it is no longer complete. */
  noteContent(vectors: SpaceVectors): void {
    const within = [...vectors].flatMap(([spaceId, vector]) => (vector === null ? [] : [spaceId]));
    this.embeddedIn = this.embeddedIn?.filter((spaceId) => within.includes(spaceId)) ?? within;
    if (within.length < Math.max(vectors.size, 1)) this.pending = true;
  }

  /** Appends what was recorded to the journal and moves the head. */
  async finish(): Promise<void> {
    await advanceScopeHead(this.tx, this.scopeId, {
      events: chainEvents(this.begun.head, this.changes, this.at),
      lastMemoryNo: this.lastMemoryNo,
      live: this.live,
      embeddedIn: this.embeddedIn,
    });
  }
}

export interface Written<Result> {
  readonly result: Result;
  /** True when an earlier command with the same key did it. */
  readonly replayed: boolean;
}

export interface WriteSteps<Result, Prepared> {
  /** What must not hold the scope's lock, such as embedding; not done for a replay. */
  readonly prepare?: () => Promise<Prepared>;
  /** Under the lock. What it resolves with becomes the receipt, as JSON: ids, revisions and outcomes, never content. */
  readonly work: (write: ScopeWrite, prepared: Prepared) => Promise<Result>;
}

export type WriteDeps = Pick<ServiceDeps, "db" | "clock" | "receiptRetentionMs" | "onPending">;

/**
 * Runs one write to a scope, all or nothing: lock the head, do the work, append its events, move the head, keep the
 * receipt, commit. A command whose key has a receipt is not run again; a failed one leaves none.
 * Throws `idempotency_conflict` for another command under a used key, `memory_erased` for one whose memory is erased.
 */
export async function writeInScope<Result, Prepared>(
  deps: WriteDeps,
  target: { readonly scopeId: number; readonly once: Once | undefined },
  steps: WriteSteps<Result, Prepared>,
): Promise<Written<Result>> {
  const { scopeId, once } = target;
  const scope = deps.db.inScope(scopeId);
  const before = await replay<Result>(deps, scope, target);
  if (before !== undefined) return before;
  const prepared = (await steps.prepare?.()) as Prepared;
  const { written, pending } = await scope.transaction(async (tx) => {
    const head = await lockScopeHead(tx, scopeId);
    const meanwhile = await replay<Result>(deps, tx, target);
    if (meanwhile !== undefined) return { written: meanwhile, pending: false };
    const write = new ScopeWrite(tx, scopeId, { head, at: deps.clock() });
    const result = await steps.work(write, prepared);
    await write.finish();
    if (once !== undefined) await insertReceipt(tx, scopeId, { ...once, result, at: write.at });
    return { written: { result, replayed: false }, pending: write.pending };
  });
  if (pending) deps.onPending();
  return written;
}

/**
 * What an earlier command with the same key did; undefined when there was none.
 * Throws `idempotency_conflict` for another command, `memory_erased` when what it wrote is gone for good.
 */
export async function replay<Result>(
  deps: WriteDeps,
  db: Runnable,
  target: { readonly scopeId: number; readonly once: Once | undefined },
): Promise<Written<Result> | undefined> {
  const { once } = target;
  if (once === undefined) return undefined;
  const { receiptRetentionMs: kept } = deps;
  const since = kept === null ? null : new Date(deps.clock().getTime() - kept);
  const receipt = await findReceipt(db, target.scopeId, { ...once, since });
  if (receipt === undefined) return undefined;
  if (receipt.fingerprint === "") {
    throw new MemgateError("memory_erased", "a memory that this Idempotency-Key's command wrote has been erased");
  }
  if (receipt.fingerprint !== once.fingerprint) {
    throw new MemgateError("idempotency_conflict", "this Idempotency-Key was used for another command");
  }
  return { result: receipt.result as Result, replayed: true };
}
