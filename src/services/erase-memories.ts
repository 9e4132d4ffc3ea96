import { MemgateError, memoryNotFound } from "../core/errors.js";
import { eraseRows, erasePostings, type ErasedCounts } from "../db/queries/erase-memories.js";
import { blankReceipts } from "../db/queries/erase-receipts.js";
import { findErasable, type ErasableRow, type EraseChoice } from "../db/queries/erase-targets.js";
import { DependentsOfWrite } from "./dependents-of-write.js";
import type { BoundDeps, Caller } from "./deps.js";
import { countErasable, digestOf, ERASE_CHUNK, ErasedTotal } from "./erase-counts.js";
import type { EraseRequest, EraseTarget } from "./erase-request.js";
import { scopesToErase } from "./erase-scopes.js";
import { inChunks } from "./in-chunks.js";
import { usableId } from "./memory-ids.js";
import { toOnce } from "./once.js";
import type { ScopeRequest } from "./resolve-scope.js";
import { writeAcrossScopes, type PlannedWrite } from "./write-across-scopes.js";
import type { ScopeWrite, Written } from "./write-in-scope.js";

/** Kept by the receipt, so it has to be JSON. */
export interface Erased {
  readonly counts: ErasedCounts;
  /** Scopes in which something went. */
  readonly scopes: number;
  readonly digest: string;
}

/**
 * Removes memories for good, deleted ones too, in one transaction over all their scopes.
 * Throws `not_found` for one memory that is not there, `forbidden`, `preview_changed`, or `derivation_too_wide` where
 * what is derived is kept.
 */
export async function eraseMemories(deps: BoundDeps, caller: Caller, request: EraseRequest): Promise<Written<Erased>> {
  const [home, ...others] = await scopesToErase(deps, caller, request);
  if (home === undefined) {
    checkPlans(request, []);
    return { result: summary(new ErasedTotal(), []), replayed: false };
  }
  const scopeIds = [home, ...others] as const;
  if (request.dryRun) return { result: await preview(deps, scopeIds, request), replayed: false };
  const total = new ErasedTotal();
  let plans: readonly PlannedWrite<ErasableRow[]>[] = [];
  return await writeAcrossScopes<ErasableRow[], Erased>(
    deps,
    { scopeIds, once: await toOnce(deps, caller, request.once) },
    {
      plan: async (tx, scopeId) => whenAny(await findErasable(tx, scopeId, wanted(request))),
      check: (planned) => {
        plans = planned;
        checkPlans(request, planned);
      },
      apply: async (write, rows) => {
        await erase(write, rows, { total, keepDerived: request.derived === "keep" });
      },
      conclude: () => summary(total, plans),
    },
  );
}

async function preview(deps: BoundDeps, scopeIds: readonly number[], request: EraseRequest): Promise<Erased> {
  const total = new ErasedTotal();
  const plans = await deps.db.acrossScopes(async (tx) => {
    const found: PlannedWrite<ErasableRow[]>[] = [];
    for (const scopeId of scopeIds) {
      await tx.enter(scopeId);
      const plan = whenAny(await findErasable(tx, scopeId, wanted(request)));
      if (plan === undefined) continue;
      found.push({ scopeId, plan });
      await countErasable(total, tx, { scopeId, plan });
    }
    return found;
  });
  checkPlans(request, plans);
  return summary(total, plans);
}

async function erase(
  write: ScopeWrite,
  rows: readonly ErasableRow[],
  how: { readonly total: ErasedTotal; readonly keepDerived: boolean },
): Promise<void> {
  const { tx, scopeId, at } = write;
  const ids = rows.map((row) => row.id);
  const dependents = new DependentsOfWrite(write);
  // Where nothing derived is kept, there is nothing left to be told that its sources are gone.
  if (how.keepDerived) await dependents.gather(ids);
  for (const chunk of inChunks(rows, ERASE_CHUNK)) {
    how.total.add({ memories: chunk.length, ...(await eraseRows(tx, scopeId, { rows: chunk, at })) });
  }
  how.total.add({
    postings: await erasePostings(tx, scopeId, rows),
    receipts: await blankReceipts(tx, scopeId, ids),
  });
  await dependents.refresh();
  for (const { id, revision, live } of rows) {
    write.changes.push({ kind: "erased", memoryId: id, revision: revision + 1 });
    if (live) write.live -= 1;
  }
}

function wanted({ scope, target, derived }: EraseRequest): { choice: EraseChoice; derived: boolean } {
  return { choice: choiceOf(scope, target), derived: derived === "erase" };
}

/** Beside a user the agent narrows the erasure to what it wrote, as it does a listing; in a workspace it is who calls. */
function choiceOf(scope: ScopeRequest | undefined, target: EraseTarget): EraseChoice {
  const inWorkspace = scope !== undefined && scope.names.workspaceId !== null;
  const agentId = scope?.agentId ?? null;
  const author = inWorkspace ? null : agentId;
  switch (target.by) {
    case "memory":
      return { by: "memory", id: usableId(target.id) ?? NO_ID, viewer: inWorkspace ? agentId : null };
    case "source_site":
      return { ...target, author };
    case "session":
      return { ...target, author };
    case "user":
    case "scope":
      return { by: "scope", author };
  }
}

/** An id that no memory has, for one that cannot be an id: it is as unknown as any other. */
const NO_ID = "00000000-0000-0000-0000-000000000000";

function checkPlans(request: EraseRequest, plans: readonly PlannedWrite<readonly ErasableRow[]>[]): void {
  if (request.target.by === "memory" && plans.length === 0) throw memoryNotFound();
  if (request.expectedDigest !== undefined && request.expectedDigest !== digestOf(plans)) {
    throw new MemgateError(
      "preview_changed",
      "other memories would be erased than when it was previewed: preview it again",
    );
  }
}

function whenAny<T>(rows: T[]): T[] | undefined {
  return rows.length === 0 ? undefined : rows;
}

function summary(total: ErasedTotal, plans: readonly PlannedWrite<readonly ErasableRow[]>[]): Erased {
  return { counts: total.counts, scopes: plans.length, digest: digestOf(plans) };
}
