import { MemgateError, memoryNotFound, revisionConflict } from "../core/errors.js";
import type { Memory, MemoryFields } from "../core/memory.js";
import type { Queryable } from "../db/database.js";
import { readByExternalId, readHeads } from "../db/queries/heads.js";
import { findMemories } from "../db/queries/read-memories.js";
import { readRevisions } from "../db/queries/revisions.js";
import { lockScope } from "../db/queries/scopes.js";
import type { EmbeddedText } from "../embeddings/embedder.js";
import type { Caller, ServiceDeps } from "./deps.js";
import { embedWithin } from "./embed-within.js";
import { usableIds } from "./memory-ids.js";
import { viewOf, type ScopeRequest, type ScopeResolver } from "./resolve-scope.js";
import { storeRevisions } from "./store-revisions.js";

export interface UpdateRequest extends ScopeRequest {
  readonly id: string;
  readonly expectedRevision: number | undefined;
  /** The fields to replace, whole; absent ones stay. */
  readonly patch: Partial<MemoryFields>;
}

/**
 * Replaces fields of one memory and resolves with its new revision; a patch that changes nothing makes no revision.
 * Throws `not_found`, `revision_conflict` with the current revision, or `external_id_conflict`.
 */
export async function updateMemory(
  deps: ServiceDeps & { readonly scopes: ScopeResolver },
  caller: Caller,
  request: UpdateRequest,
): Promise<Memory> {
  const scope = await deps.scopes.find(caller, request);
  if (scope.id === undefined) throw memoryNotFound();
  const { content } = request.patch;
  const embedded = content === undefined ? [] : await embedWithin(deps.embedder, [content], deps.writeEmbedWaitMs);
  const scopeId = scope.id;
  const updated = await deps.db.transaction(async (tx) => {
    await lockScope(tx, scopeId, 0);
    return await revise(tx, deps, { request, scopeId, embedded: embedded[0] ?? null });
  });
  if (updated.embeddingStatus === "pending") deps.onPending();
  return updated;
}

async function revise(
  tx: Queryable,
  deps: ServiceDeps,
  work: { readonly request: UpdateRequest; readonly scopeId: number; readonly embedded: EmbeddedText | null },
): Promise<Memory> {
  const { request, scopeId } = work;
  const at = deps.clock();
  const view = viewOf({ ...request, id: scopeId }, at);
  if (view === undefined) throw memoryNotFound();
  const wanted = { ids: usableIds([request.id]), spaceId: deps.spaceId };
  const [head] = await readHeads(tx, view, wanted.ids);
  const [current] = await findMemories(tx, view, wanted);
  if (head === undefined || current === undefined) throw memoryNotFound();
  if (request.expectedRevision !== undefined && request.expectedRevision !== head.revision) {
    throw revisionConflict(head.revision);
  }
  if (isUnchanged(current, request.patch)) return current;
  await refuseTakenExternalId(tx, scopeId, {
    id: head.id,
    agentId: head.agentId,
    externalId: request.patch.externalId,
  });
  const contentRevision =
    head.contentRevision + ((request.patch.content ?? current.content) === current.content ? 0 : 1);
  const row = {
    ...current,
    ...request.patch,
    memoryNo: head.memoryNo,
    revision: head.revision + 1,
    contentRevision,
    recordedAt: at,
  };
  await storeRevisions(tx, deps, { scopeId, at, changes: [{ row, before: head, embedded: work.embedded }] });
  const [updated] = await readRevisions(tx, scopeId, { revisions: [row], spaceId: deps.spaceId });
  if (updated === undefined) throw new Error("a revision that was just written is missing");
  return updated;
}

async function refuseTakenExternalId(
  tx: Queryable,
  scopeId: number,
  wanted: { readonly id: string; readonly agentId: string | null; readonly externalId: string | null | undefined },
): Promise<void> {
  if (wanted.externalId == null) return;
  const taken = await readByExternalId(tx, scopeId, { agentId: wanted.agentId, externalIds: [wanted.externalId] });
  if (taken.some((head) => head.id !== wanted.id)) {
    throw new MemgateError("external_id_conflict", "another memory of this scope and author has this external_id");
  }
}

/** Key order apart: metadata comes back from the database with its keys sorted. */
function isUnchanged(current: MemoryFields, patch: Partial<MemoryFields>): boolean {
  return Object.entries(patch).every(([field, value]) => {
    return canonical(value) === canonical(current[field as keyof MemoryFields]);
  });
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner !== "object" || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
