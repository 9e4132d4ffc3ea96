import { MemgateError, memoryNotFound, revisionConflict } from "../core/errors.js";
import type { Filters } from "../core/scope.js";
import type { Queryable } from "../db/database.js";
import { removeCandidates } from "../db/queries/candidates.js";
import { readHeads } from "../db/queries/heads.js";
import { removePostings } from "../db/queries/postings.js";
import { matchingIds } from "../db/queries/read-memories.js";
import { lockScope } from "../db/queries/scopes.js";
import { markDeleted, type HeadRow } from "../db/queries/write-memories.js";
import type { Caller, ServiceDeps } from "./deps.js";
import { postingsOf } from "./index-content.js";
import { usableIds } from "./memory-ids.js";
import { viewOf, type ScopeRequest, type ScopeResolver } from "./resolve-scope.js";

/** How many memories one delete by filter may take: they go in one transaction. */
export const DELETE_MAX = 10_000;

/** Heads carry their content; this many are in memory at a time. */
const CHUNK = 200;

export interface Deleted {
  readonly id: string;
  readonly revision: number;
  readonly deletedAt: Date;
}

/** Deletes one memory. Throws `not_found`, or `revision_conflict` with the current revision. */
export async function deleteMemory(
  deps: ServiceDeps & { readonly scopes: ScopeResolver },
  caller: Caller,
  request: ScopeRequest & { readonly id: string; readonly expectedRevision: number | undefined },
): Promise<Deleted> {
  const scope = await deps.scopes.find(caller, request);
  const at = deps.clock();
  const view = viewOf(scope, at);
  if (view === undefined) throw memoryNotFound();
  return await deps.db.transaction(async (tx) => {
    await lockScope(tx, view.scopeId, 0);
    const [head] = await readHeads(tx, view, usableIds([request.id]));
    if (head === undefined) throw memoryNotFound();
    if (request.expectedRevision !== undefined && request.expectedRevision !== head.revision) {
      throw revisionConflict(head.revision);
    }
    await remove(tx, { scopeId: view.scopeId, at, heads: [head] });
    return { id: head.id, revision: head.revision + 1, deletedAt: at };
  });
}

/**
 * Deletes the current memories among `ids`, or those that match `filters`, all or none; `dryRun` only tells which.
 * Resolves with their ids. Throws `too_many_matches` above {@link DELETE_MAX}.
 */
export async function deleteMemories(
  deps: ServiceDeps & { readonly scopes: ScopeResolver },
  caller: Caller,
  request: ScopeRequest & {
    readonly what: { readonly ids: readonly string[] } | { readonly filters: Filters };
    readonly dryRun: boolean;
  },
): Promise<string[]> {
  const scope = await deps.scopes.find(caller, request);
  const at = deps.clock();
  const view = viewOf(scope, at);
  if (view === undefined) return [];
  const { what } = request;
  return await deps.db.transaction(async (tx) => {
    if (!request.dryRun) await lockScope(tx, view.scopeId, 0);
    const ids =
      "ids" in what
        ? [...new Set(usableIds(what.ids))]
        : await matchingIds(tx, view, { filters: what.filters, limit: DELETE_MAX + 1 });
    if (ids.length > DELETE_MAX) throw tooManyMatches();
    const deleted: string[] = [];
    for (let start = 0; start < ids.length; start += CHUNK) {
      const heads = await readHeads(tx, view, ids.slice(start, start + CHUNK));
      if (!request.dryRun) await remove(tx, { scopeId: view.scopeId, at, heads });
      deleted.push(...heads.map((head) => head.id));
    }
    return deleted;
  });
}

async function remove(
  tx: Queryable,
  work: { readonly scopeId: number; readonly at: Date; readonly heads: readonly HeadRow[] },
): Promise<void> {
  const ids = work.heads.map((head) => head.id);
  await markDeleted(tx, work.scopeId, { ids, at: work.at });
  await removePostings(tx, work.scopeId, work.heads.flatMap(postingsOf));
  await removeCandidates(tx, work.scopeId, ids);
}

function tooManyMatches(): MemgateError {
  return new MemgateError("too_many_matches", `the filter matches more than ${String(DELETE_MAX)} memories: narrow it`);
}
