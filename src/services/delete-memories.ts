import { MemgateError, memoryNotFound } from "../core/errors.js";
import type { Filters, View } from "../core/scope.js";
import type { Runnable } from "../db/database.js";
import { removeCandidates } from "../db/queries/candidates.js";
import { readUnexpiredHeads } from "../db/queries/heads.js";
import { matchingIds } from "../db/queries/read-memories.js";
import { markDeleted, type HeadRow } from "../db/queries/write-memories.js";
import { DependentsOfWrite } from "./dependents-of-write.js";
import type { BoundDeps, Caller } from "./deps.js";
import { headForWrite } from "./head-for-write.js";
import { usableIds } from "./memory-ids.js";
import { toOnce, type OnceRequest } from "./once.js";
import { viewOf, type ScopeRequest } from "./resolve-scope.js";
import { retireContents } from "./retire-contents.js";
import { writeInScope, type ScopeWrite, type Written } from "./write-in-scope.js";

/** How many memories one delete by filter may take: they go in one transaction. */
export const DELETE_MAX = 10_000;

/** Heads carry their content; this many are in memory at a time. */
const CHUNK = 200;

/** Kept by the receipt, so it has to be JSON. */
export interface Deleted {
  readonly id: string;
  readonly revision: number;
  /** RFC 3339. */
  readonly deletedAt: string;
}

export interface DeleteRequest extends ScopeRequest {
  readonly id: string;
  readonly expectedRevision: number | undefined;
  readonly once: OnceRequest | undefined;
}

/**
 * Deletes one memory, be it eligible or not. What was derived from it is no longer found.
 * Throws `not_found`, `revision_conflict` with the current revision, or `derivation_too_wide`.
 */
export async function deleteMemory(deps: BoundDeps, caller: Caller, request: DeleteRequest): Promise<Written<Deleted>> {
  const scope = await deps.scopes.find(caller, request);
  if (scope.id === undefined) throw memoryNotFound();
  const once = await toOnce(deps, caller, request.once);
  return await writeInScope(
    deps,
    { scopeId: scope.id, once },
    {
      work: async (write) => {
        const head = await headForWrite(write, request, readUnexpiredHeads);
        const dependents = new DependentsOfWrite(write);
        await remove(write, [head], dependents);
        await dependents.refresh();
        return { id: head.id, revision: head.revision + 1, deletedAt: write.at.toISOString() };
      },
    },
  );
}

export interface BulkDeleteRequest extends ScopeRequest {
  readonly what: { readonly ids: readonly string[] } | { readonly filters: Filters };
  /** Only tell which; leaves no receipt, since nothing is done. */
  readonly dryRun: boolean;
  readonly once: OnceRequest | undefined;
}

/**
 * Deletes the memories among `ids`, be they eligible or not, or the current ones that match `filters`, all or none.
 * Resolves with their ids. Throws `too_many_matches` above {@link DELETE_MAX}, or `derivation_too_wide`.
 */
export async function deleteMemories(
  deps: BoundDeps,
  caller: Caller,
  request: BulkDeleteRequest,
): Promise<Written<string[]>> {
  if (request.dryRun) {
    const view = viewOf(await deps.scopes.find(caller, request), deps.clock());
    return { result: await preview(deps, view, request), replayed: false };
  }
  // Made where it does not exist: the receipt of "nothing was deleted" has to hold when others have written meanwhile.
  const scope = await deps.scopes.ensure(caller, request);
  const once = await toOnce(deps, caller, request.once);
  return await writeInScope(
    deps,
    { scopeId: scope.id, once },
    {
      work: async (write) => {
        const view = viewOf(scope, write.at);
        const deleted: string[] = [];
        const dependents = new DependentsOfWrite(write);
        for (const ids of chunks(await wantedIds(write.tx, view, request))) {
          const heads = await readUnexpiredHeads(write.tx, view, ids);
          await remove(write, heads, dependents);
          deleted.push(...heads.map((head) => head.id));
        }
        await dependents.refresh();
        return deleted;
      },
    },
  );
}

async function preview(deps: BoundDeps, view: View | undefined, request: BulkDeleteRequest): Promise<string[]> {
  if (view === undefined) return [];
  return await deps.db.inScope(view.scopeId).transaction(async (tx) => {
    const found: string[] = [];
    for (const ids of chunks(await wantedIds(tx, view, request))) {
      found.push(...(await readUnexpiredHeads(tx, view, ids)).map((head) => head.id));
    }
    return found;
  });
}

async function wantedIds(tx: Runnable, view: View, { what }: BulkDeleteRequest): Promise<string[]> {
  if ("ids" in what) return [...new Set(usableIds(what.ids))];
  const ids = await matchingIds(tx, view, { filters: what.filters, limit: DELETE_MAX + 1 });
  if (ids.length > DELETE_MAX) {
    throw new MemgateError(
      "too_many_matches",
      `the filter matches more than ${String(DELETE_MAX)} memories: narrow it`,
    );
  }
  return ids;
}

function chunks(ids: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(ids.length / CHUNK) }, (_, index) =>
    ids.slice(index * CHUNK, (index + 1) * CHUNK),
  );
}

async function remove(write: ScopeWrite, heads: readonly HeadRow[], dependents: DependentsOfWrite): Promise<void> {
  const ids = heads.map((head) => head.id);
  await dependents.gather(ids);
  await markDeleted(write.tx, write.scopeId, { ids, at: write.at });
  await retireContents(write, heads);
  await removeCandidates(write.tx, write.scopeId, ids);
  for (const head of heads) write.changes.push({ kind: "deleted", memoryId: head.id, revision: head.revision + 1 });
  write.live -= heads.length;
}
