import { pendingMemories, type PendingRow } from "../db/queries/backlog.js";
import { insertBindings } from "../db/queries/bindings.js";
import { projectCandidates } from "../db/queries/candidates.js";
import { markScopeReady, scopeWithBacklog } from "../db/queries/scopes.js";
import type { EmbeddedText } from "../embeddings/embedder.js";
import type { ServiceDeps } from "./deps.js";
import { writeInScope } from "./write-in-scope.js";

/** One step of the backlog. */
export interface BacklogStep {
  readonly scopeId: number;
  /** Memories that got a vector; 0 where nothing waited in the scope any more. */
  readonly embedded: number;
}

/**
 * Does one step in the next scope beyond `after` that may have a backlog: embeds a batch, or finds that nothing waits
 * there any more. Resolves with null when no such scope is left; the caller goes round from 0 again.
 * A memory that changed meanwhile stays in the backlog with its new content. Rejects when none could be embedded, with
 * the scope in the error, so that one scope's trouble does not hold up the others.
 */
export async function embedPending(deps: ServiceDeps, signal: AbortSignal, after: number): Promise<BacklogStep | null> {
  const { spaceId, embedder } = deps;
  const scopeId = await scopeWithBacklog(deps.db, spaceId, after);
  if (scopeId === undefined) return null;
  const wanted = { spaceId, limit: embedder.batchSize };
  const pending = await pendingMemories(deps.db.inScope(scopeId), scopeId, wanted);
  if (pending.length === 0) {
    await closeBacklog(deps, scopeId);
    return { scopeId, embedded: 0 };
  }
  const rows = await embedRows(deps, pending, signal).catch((error: unknown) => {
    throw new BacklogError(scopeId, error);
  });
  await attach(deps, scopeId, rows);
  return { scopeId, embedded: rows.length };
}

/** Nothing of a scope's next batch could be embedded. */
export class BacklogError extends Error {
  constructor(
    readonly scopeId: number,
    cause: unknown,
  ) {
    super("no memory of the batch could be embedded", { cause });
    this.name = "BacklogError";
  }
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

async function attach(deps: ServiceDeps, scopeId: number, rows: readonly EmbeddedRow[]): Promise<void> {
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
