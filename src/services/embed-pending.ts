import { insertBindings } from "../db/queries/bindings.js";
import { pendingMemories, type PendingRow } from "../db/queries/backlog.js";
import { projectCandidates } from "../db/queries/candidates.js";
import { lockScope } from "../db/queries/scopes.js";
import type { EmbeddedText } from "../embeddings/embedder.js";
import type { ServiceDeps } from "./deps.js";

/**
 * Embeds one batch of the backlog and resolves with its size; 0 means that nothing waits.
 * A memory that changed meanwhile stays in the backlog with its new content. Rejects with `embedding_unavailable`.
 */
export async function embedPending(deps: ServiceDeps, signal: AbortSignal): Promise<number> {
  const pending = await pendingMemories(deps.db, deps.spaceId, deps.embedder.batchSize);
  if (pending.length === 0) return 0;
  const embedded = await deps.embedder.embedDocuments(
    pending.map((row) => row.content),
    { signal },
  );
  const rows = pending.map((row, index) => ({ ...row, embedded: embedded[index] }));
  for (const scopeId of new Set(rows.map((row) => row.scopeId))) {
    await attach(
      deps,
      scopeId,
      rows.filter((row) => row.scopeId === scopeId),
    );
  }
  return pending.length;
}

async function attach(
  deps: ServiceDeps,
  scopeId: number,
  rows: readonly (PendingRow & { readonly embedded: EmbeddedText | undefined })[],
): Promise<void> {
  const bindings = rows.flatMap(({ id, contentRevision, embedded }) => {
    return embedded === undefined ? [] : [{ memoryId: id, contentRevision, ...embedded }];
  });
  await deps.db.transaction(async (tx) => {
    await lockScope(tx, scopeId, 0);
    await insertBindings(tx, scopeId, { spaceId: deps.spaceId, at: deps.clock(), rows: bindings });
    await projectCandidates(tx, scopeId, { spaceId: deps.spaceId, ids: rows.map((row) => row.id) });
  });
}
