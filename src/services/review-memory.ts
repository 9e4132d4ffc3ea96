import { memoryNotFound } from "../core/errors.js";
import type { Memory, Review } from "../core/memory.js";
import { readEmbeddingStatus, readUnexpiredHeads } from "../db/queries/heads.js";
import { readRevisions } from "../db/queries/revisions.js";
import type { HeadRow } from "../db/queries/write-memories.js";
import type { BoundDeps, Caller } from "./deps.js";
import { NO_VECTORS } from "./embed-in-spaces.js";
import { headForWrite } from "./head-for-write.js";
import { toOnce, type OnceRequest } from "./once.js";
import { rebuildMemory, type NamedRevision } from "./rebuild-memory.js";
import type { ScopeRequest } from "./resolve-scope.js";
import { storeRevisions } from "./store-revisions.js";
import { writeInScope, type ScopeWrite } from "./write-in-scope.js";

export interface ReviewRequest extends ScopeRequest {
  readonly id: string;
  readonly expectedRevision: number | undefined;
  readonly review: Review;
  readonly once: OnceRequest | undefined;
}

/**
 * Sets the review state of one memory that the caller may see, be it eligible or not, and resolves with its new
 * revision; the state that it has makes none. What is derived from it ends with a rejection and returns after it.
 * Throws `not_found`, `revision_conflict` with the current revision, or `derivation_too_wide`.
 */
export async function reviewMemory(
  deps: BoundDeps,
  caller: Caller,
  request: ReviewRequest,
): Promise<{ memory: Memory; replayed: boolean }> {
  const scope = await deps.scopes.find(caller, request);
  if (scope.id === undefined) throw memoryNotFound();
  const once = await toOnce(deps, caller, request.once);
  const { result, replayed } = await writeInScope(
    deps,
    { scopeId: scope.id, once },
    {
      work: async (write) => {
        const head = await headForWrite(write, request, readUnexpiredHeads);
        return await review(write, { head, state: request.review });
      },
    },
  );
  return { memory: await rebuildMemory(deps, caller, { ...request, named: result }), replayed };
}

/** Its content stays, and so do its content revision, its vector and its postings. */
async function review(
  write: ScopeWrite,
  { head, state }: { readonly head: HeadRow; readonly state: Review },
): Promise<NamedRevision> {
  const { tx, scopeId } = write;
  const revision = head.review === state ? head.revision : head.revision + 1;
  if (revision !== head.revision) {
    const [current] = await readRevisions(tx, scopeId, [head]);
    if (current === undefined) throw new Error("a live memory has no current revision");
    const row = { ...current, ...head, review: state, revision, recordedAt: write.at };
    await storeRevisions(write, [{ kind: "reviewed", row, before: head, sources: [], embedded: NO_VECTORS }]);
  }
  const status = await readEmbeddingStatus(tx, scopeId, [head.id]);
  return { id: head.id, revision, embeddingStatus: status.get(head.id) ?? "pending" };
}
