import { canonicalJson } from "../core/canonical-json.js";
import { forbidden, MemgateError, memoryNotFound } from "../core/errors.js";
import { reviewAfter, type Memory, type MemoryFields } from "../core/memory.js";
import { readByExternalId, readEmbeddingStatus, readHeads } from "../db/queries/heads.js";
import { readRevisions } from "../db/queries/revisions.js";
import type { HeadRow } from "../db/queries/write-memories.js";
import { contentKeys } from "./content-keys.js";
import type { BoundDeps, Caller } from "./deps.js";
import { embedInSpaces, NO_VECTORS, type SpaceVectors } from "./embed-in-spaces.js";
import { headForWrite } from "./head-for-write.js";
import { toOnce, type OnceRequest } from "./once.js";
import { rebuildMemory, type NamedRevision } from "./rebuild-memory.js";
import type { ScopeRequest } from "./resolve-scope.js";
import { storeRevisions } from "./store-revisions.js";
import { writeInScope, type ScopeWrite } from "./write-in-scope.js";

export interface UpdateRequest extends ScopeRequest {
  readonly id: string;
  readonly expectedRevision: number | undefined;
  /** The fields to replace, whole; absent ones stay. */
  readonly patch: Partial<MemoryFields>;
  readonly once: OnceRequest | undefined;
}

/**
 * Replaces fields of one memory and resolves with its new revision; a patch that changes nothing makes no revision.
 * Throws `not_found`, `forbidden`, `revision_conflict` with the current revision, `external_id_conflict` or
 * `derivation_too_wide`.
 */
export async function updateMemory(
  deps: BoundDeps,
  caller: Caller,
  request: UpdateRequest,
): Promise<{ memory: Memory; replayed: boolean }> {
  const scope = await deps.scopes.find(caller, request);
  if (scope.id === undefined) throw memoryNotFound();
  const contents = request.patch.content === undefined ? [] : [request.patch.content];
  const once = await toOnce(deps, caller, request.once);
  const { result, replayed } = await writeInScope(
    deps,
    { scopeId: scope.id, once },
    {
      prepare: async () => ({
        embedded: (await embedInSpaces(deps, contents))[0] ?? NO_VECTORS,
        contentKey: (await contentKeys(deps, caller, contents))[0],
      }),
      work: async (write, prepared) => await revise(write, { request, ...prepared }),
    },
  );
  return { memory: await rebuildMemory(deps, caller, { ...request, named: result }), replayed };
}

interface Revision {
  readonly request: UpdateRequest;
  readonly embedded: SpaceVectors;
  readonly contentKey: string | undefined;
}

async function revise(write: ScopeWrite, work: Revision): Promise<NamedRevision> {
  const { request } = work;
  const { head, current } = await readForChange(write, request);
  if (isUnchanged(current, request.patch)) return unchanged(current);
  await refuseForeignChange(write, { request, head });
  const sameContent = (request.patch.content ?? current.content) === current.content;
  const row = {
    ...current,
    ...request.patch,
    memoryNo: head.memoryNo,
    revision: head.revision + 1,
    contentRevision: head.contentRevision + (sameContent ? 0 : 1),
    contentKey: work.contentKey ?? head.contentKey,
    review: reviewAfter(head.review, !sameContent),
    recordedAt: write.at,
  };
  const embedded = sameContent ? NO_VECTORS : work.embedded;
  await storeRevisions(write, [{ kind: "updated", row, before: head, sources: [], embedded }]);
  const status = await readEmbeddingStatus(write.tx, write.scopeId, [head.id]);
  return { id: head.id, revision: row.revision, embeddingStatus: status.get(head.id) ?? "pending" };
}

async function readForChange(write: ScopeWrite, request: UpdateRequest): Promise<{ head: HeadRow; current: Memory }> {
  const head = await headForWrite(write, request, readHeads);
  const revisions = [{ id: head.id, revision: head.revision }];
  const [current] = await readRevisions(write.tx, write.scopeId, revisions);
  if (current === undefined) throw new Error("a live memory has no current revision");
  return { head, current };
}

function unchanged(memory: Memory): NamedRevision {
  return { id: memory.id, revision: memory.revision, embeddingStatus: memory.embeddingStatus };
}

/** An external id belongs to one memory of an author, and only the author says who may see a memory. */
async function refuseForeignChange(
  write: ScopeWrite,
  { request, head }: { readonly request: UpdateRequest; readonly head: HeadRow },
): Promise<void> {
  const { visibility, externalId } = request.patch;
  if (visibility !== undefined && request.names.workspaceId !== null && head.agentId !== request.agentId) {
    throw forbidden("only its author changes who may see a memory");
  }
  if (externalId == null) return;
  const taken = await readByExternalId(write.tx, write.scopeId, { agentId: head.agentId, externalIds: [externalId] });
  if (taken.some((other) => other.id !== head.id)) {
    throw new MemgateError("external_id_conflict", "another memory of this scope and author has this external_id");
  }
}

/** Key order apart: metadata comes back from the database with its keys sorted. */
function isUnchanged(current: MemoryFields, patch: Partial<MemoryFields>): boolean {
  return Object.entries(patch).every(([field, value]) => {
    return canonicalJson(value) === canonicalJson(current[field as keyof MemoryFields]);
  });
}
