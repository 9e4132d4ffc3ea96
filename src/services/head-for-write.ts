import { memoryNotFound, revisionConflict } from "../core/errors.js";
import type { readUnexpiredHeads } from "../db/queries/heads.js";
import type { HeadRow } from "../db/queries/write-memories.js";
import { usableIds } from "./memory-ids.js";
import { viewOf, type ScopeRequest } from "./resolve-scope.js";
import type { ScopeWrite } from "./write-in-scope.js";

/** Which memory a write is about, and the revision that it means to change. */
export interface Target extends ScopeRequest {
  readonly id: string;
  readonly expectedRevision?: number | undefined;
}

/**
 * The memory that a write is about, as it stands under the scope's lock; `read` says whether one that is not eligible
 * counts. Throws `not_found`, or `revision_conflict` with the current revision.
 */
export async function headForWrite(
  write: ScopeWrite,
  target: Target,
  read: typeof readUnexpiredHeads,
): Promise<HeadRow> {
  const view = viewOf({ names: target.names, agentId: target.agentId, id: write.scopeId }, write.at);
  const [head] = await read(write.tx, view, usableIds([target.id]));
  if (head === undefined) throw memoryNotFound();
  if (target.expectedRevision !== undefined && target.expectedRevision !== head.revision) {
    throw revisionConflict(head.revision);
  }
  return head;
}
