import { insertBindings } from "../db/queries/bindings.js";
import { pendingMemories, type PendingRow } from "../db/queries/backlog.js";
import { projectCandidates } from "../db/queries/candidates.js";
import { lockScope } from "../db/queries/scopes.js";
import type { EmbeddedText } from "../embeddings/embedder.js";
import type { ServiceDeps } from "./deps.js";

/**
 * Embeds one batch of the backlog and resolves with how many got a vector; 0 means that nothing waits.
 * A memory that changed meanwhile stays in the backlog with its new content. Rejects with `embedding_unavailable` when
 * none could be embedded.
 */
export async function embedPending(deps: ServiceDeps, signal: AbortSignal): Promise<number> {
  const pending = await pendingMemories(deps.db, deps.spaceId, deps.embedder.batchSize);
  if (pending.length === 0) return 0;
  const rows = await embedRows(deps, pending, signal);
  for (const scopeId of new Set(rows.map((row) => row.scopeId))) {
    await attach(
      deps,
      scopeId,
      rows.filter((row) => row.scopeId === scopeId),
    );
  }
  return rows.length;
}

type EmbeddedRow = PendingRow & { readonly embedded: EmbeddedText | undefined };

/** Together, and where that fails one by one: a text that the provider will never take must not hold up the others. */
async function embedRows(deps: ServiceDeps, rows: readonly PendingRow[], signal: AbortSignal): Promise<EmbeddedRow[]> {
  try {
    const embedded = await deps.embedder.embedDocuments(
      rows.map((row) => row.content),
      { signal },
    );
    return rows.map((row, index) => ({ ...row, embedded: embedded[index] }));
  } catch (error) {
    if (rows.length === 1 || signal.aborted) throw error;
    const done: EmbeddedRow[] = [];
    for (const row of rows) done.push(...(await embedRows(deps, [row], signal).catch(() => [])));
    if (done.length === 0) throw error;
    return done;
  }
}

async function attach(deps: ServiceDeps, scopeId: number, rows: readonly EmbeddedRow[]): Promise<void> {
  const bindings = rows.flatMap(({ id, contentRevision, embedded }) => {
    return embedded === undefined ? [] : [{ memoryId: id, contentRevision, ...embedded }];
  });
  await deps.db.transaction(async (tx) => {
    await lockScope(tx, scopeId, 0);
    await insertBindings(tx, scopeId, { spaceId: deps.spaceId, at: deps.clock(), rows: bindings });
    await projectCandidates(tx, scopeId, { spaceId: deps.spaceId, ids: rows.map((row) => row.id) });
  });
}
