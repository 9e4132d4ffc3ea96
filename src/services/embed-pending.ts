import { pendingMemories, type PendingRow } from "../db/queries/backlog.js";
import { insertBindings } from "../db/queries/bindings.js";
import { projectVectors } from "../db/queries/project-vectors.js";
import { markScopeProjected, markScopeReady, scopeWithBacklog } from "../db/queries/scopes.js";
import type { EmbeddedText, Embedder } from "../embeddings/embedder.js";
import type { ServiceDeps } from "./deps.js";
import { writeInScope } from "./write-in-scope.js";

/** One step of the backlog. */
export interface BacklogStep {
  readonly spaceId: number;
  readonly scopeId: number;
  /** Memories that got a vector; 0 where nothing waited in the scope any more. */
  readonly embedded: number;
}

/** Where to go on: in one space or the first that has work, in the scopes beyond one. */
export interface BacklogPlace {
  readonly spaceId?: number;
  readonly after?: number;
}

/** Vectors that one transaction moves into candidates. */
const PROJECTED = 256;

/** The spaces that have to be looked after, as they are now: those that are filled, and the served one. */
export async function spacesToFill(deps: Pick<ServiceDeps, "spaces">): Promise<number[]> {
  await deps.spaces.refresh();
  const [filled, served] = [await deps.spaces.filled(), await deps.spaces.servedRow()];
  const ids = filled.map(({ id }) => id);
  return served === undefined || ids.includes(served.id) ? ids : [...ids, served.id];
}

/**
 * Does one step in the next scope that may have a backlog: embeds a batch, or finds that nothing waits there any more; in
 * the served space it first moves vectors that there are into candidates. Resolves with null when no such scope is left;
 * the caller goes round from 0 again. A memory that changed meanwhile stays in the backlog with its new content.
 * Rejects when none could be embedded, with space and scope in the error, so that the trouble of one does not hold up the
 * others.
 */
export async function embedPending(
  deps: ServiceDeps,
  signal: AbortSignal,
  { spaceId, after = 0 }: BacklogPlace = {},
): Promise<BacklogStep | null> {
  for (const id of spaceId === undefined ? await spacesToFill(deps) : [spaceId]) {
    const step = await stepInSpace(deps, { spaceId: id, after }, signal);
    if (step !== null) return step;
  }
  return null;
}

interface Place {
  readonly spaceId: number;
  readonly scopeId: number;
}

async function stepInSpace(
  deps: ServiceDeps,
  { spaceId, after }: Required<BacklogPlace>,
  signal: AbortSignal,
): Promise<BacklogStep | null> {
  const embeds = (await deps.spaces.filled()).some(({ id }) => id === spaceId);
  const scope = await scopeWithBacklog(deps.db, { spaceId, after, lacking: embeds });
  if (scope === undefined) return null;
  const place = { spaceId, scopeId: scope.id };
  if (scope.lags) await moveVectors(deps, scope.id);
  return { ...place, embedded: scope.lacks && embeds ? await embedBatch(deps, place, signal) : 0 };
}

async function embedBatch(deps: ServiceDeps, place: Place, signal: AbortSignal): Promise<number> {
  const { spaceId, scopeId } = place;
  const failed = (error: unknown): never => {
    throw new BacklogError(place, error);
  };
  const embedder = await deps.spaces.embedderOf(spaceId).catch(failed);
  const wanted = { spaceId, limit: embedder.batchSize };
  const pending = await pendingMemories(deps.db.inScope(scopeId), scopeId, wanted);
  if (pending.length === 0) {
    await closeBacklog(deps, place);
    return 0;
  }
  const rows = await embedRows(embedder, pending, signal).catch(failed);
  await attach(deps, place, rows);
  return rows.length;
}

/** Nothing of a scope's next batch could be embedded in a space. */
export class BacklogError extends Error {
  readonly spaceId: number;
  readonly scopeId: number;

  constructor(place: Place, cause: unknown) {
    super("no memory of the batch could be embedded", { cause });
    this.name = "BacklogError";
    this.spaceId = place.spaceId;
    this.scopeId = place.scopeId;
  }
}

type EmbeddedRow = PendingRow & { readonly embedded: EmbeddedText | undefined };

/** Together, and where that fails one by one: a text that the provider will never take must not hold up the others. */
async function embedRows(embedder: Embedder, rows: readonly PendingRow[], signal: AbortSignal): Promise<EmbeddedRow[]> {
  try {
    const embedded = await embedder.embedDocuments(
      rows.map((row) => row.content),
      { signal },
    );
    return rows.map((row, index) => ({ ...row, embedded: embedded[index] }));
  } catch (error) {
    if (rows.length === 1 || signal.aborted) throw error;
    const done: EmbeddedRow[] = [];
    for (const row of rows) done.push(...(await embedRows(embedder, [row], signal).catch(() => [])));
    if (done.length === 0) throw error;
    return done;
  }
}

/** Under the lock, since a write may have left something in the meantime. */
async function closeBacklog(deps: ServiceDeps, { spaceId, scopeId }: Place): Promise<void> {
  await writeInScope(
    deps,
    { scopeId, once: undefined },
    {
      work: async ({ tx }) => {
        const left = await pendingMemories(tx, scopeId, { spaceId, limit: 1 });
        if (left.length === 0) await markScopeReady(tx, scopeId, spaceId);
        return null;
      },
    },
  );
}

/** After a switch candidates still hold vectors of the space that was served before. */
async function moveVectors(deps: ServiceDeps, scopeId: number): Promise<void> {
  await writeInScope(
    deps,
    { scopeId, once: undefined },
    {
      work: async (write) => {
        const { servedSpaceId, vectors } = await projectVectors(write.tx, scopeId, { limit: PROJECTED });
        if (servedSpaceId !== null && vectors < PROJECTED) await markScopeProjected(write.tx, scopeId, servedSpaceId);
        return null;
      },
    },
  );
}

/** Only what becomes of the served space's vectors is an event: callers see no other. */
async function attach(deps: ServiceDeps, { spaceId, scopeId }: Place, rows: readonly EmbeddedRow[]): Promise<void> {
  const bindings = rows.flatMap(({ id, contentRevision, embedded }) => {
    return embedded === undefined ? [] : [{ memoryId: id, contentRevision, ...embedded }];
  });
  await writeInScope(
    deps,
    { scopeId, once: undefined },
    {
      work: async ({ tx, at, changes }) => {
        const bound = await insertBindings(tx, scopeId, { spaceId, at, rows: bindings });
        await projectVectors(tx, scopeId, { limit: rows.length, ids: rows.map((row) => row.id) });
        for (const { id, revision, served } of bound) {
          if (served) changes.push({ kind: "embedding_attached", memoryId: id, revision });
        }
        return null;
      },
    },
  );
}
