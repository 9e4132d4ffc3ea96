import { pendingMemories, type PendingRow } from "../db/queries/backlog.js";
import { insertBindings } from "../db/queries/bindings.js";
import { projectCandidates } from "../db/queries/candidates.js";
import { markScopeReady, scopeWithBacklog } from "../db/queries/scopes.js";
import type { EmbeddedText } from "../embeddings/embedder.js";
import type { ServiceDeps } from "./deps.js";
import { writeInScope } from "./write-in-scope.js";

/**
 * Does one step of the backlog, in one scope: embeds a batch, or finds that nothing waits there any more.
 * Resolves with the number of memories embedded, null when no scope has work.
 * A memory that changed meanwhile stays in the backlog with its new content. Rejects with `embedding_unavailable`.
 */
export async function embedPending(deps: ServiceDeps, signal: AbortSignal): Promise<number | null> {
  const { spaceId, embedder } = deps;
  const scopeId = await scopeWithBacklog(deps.db, spaceId);
  if (scopeId === undefined) return null;
  const wanted = { spaceId, limit: embedder.batchSize };
  const pending = await pendingMemories(deps.db.inScope(scopeId), scopeId, wanted);
  if (pending.length === 0) {
    await closeBacklog(deps, scopeId);
    return 0;
  }
  const embedded = await embedder.embedDocuments(
    pending.map((row) => row.content),
    { signal },
  );
  await attach(
    deps,
    scopeId,
    pending.map((row, index) => ({ ...row, embedded: embedded[index] })),
  );
  return pending.length;
}

/** Under the lock, since a write may have left something in the meantime. */
async function closeBacklog(deps: ServiceDeps, scopeId: number): Promise<void> {
  await writeInScope(
    deps,
    { scopeId, once: undefined },
    {
      work: async ({ tx }) => {
        const left = await pendingMemories(tx, scopeId, { spaceId: deps.spaceId, limit: 1 });
        if (left.length === 0) await markScopeReady(tx, scopeId, deps.spaceId);
        return null;
      },
    },
  );
}

async function attach(
  deps: ServiceDeps,
  scopeId: number,
  rows: readonly (PendingRow & { readonly embedded: EmbeddedText | undefined })[],
): Promise<void> {
  const bindings = rows.flatMap(({ id, contentRevision, embedded }) => {
    return embedded === undefined ? [] : [{ memoryId: id, contentRevision, ...embedded }];
  });
  await writeInScope(
    deps,
    { scopeId, once: undefined },
    {
      work: async (write) => {
        const bound = await insertBindings(write.tx, scopeId, { spaceId: deps.spaceId, at: write.at, rows: bindings });
        await projectCandidates(write.tx, scopeId, { spaceId: deps.spaceId, ids: rows.map((row) => row.id) });
        for (const { id, revision } of bound) {
          write.changes.push({ kind: "embedding_attached", memoryId: id, revision });
        }
        return null;
      },
    },
  );
}
