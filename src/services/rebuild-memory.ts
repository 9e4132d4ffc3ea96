import { MemgateError } from "../core/errors.js";
import type { EmbeddingStatus, Memory } from "../core/memory.js";
import { readRevisions } from "../db/queries/revisions.js";
import type { BoundDeps, Caller } from "./deps.js";
import type { ScopeRequest } from "./resolve-scope.js";

/** A memory as a command left it. */
export interface NamedRevision {
  readonly id: string;
  readonly revision: number;
  readonly embeddingStatus: EmbeddingStatus;
}

/**
 * The memory as it stood after a command, from the immutable revision, whatever has happened since.
 * Throws `memory_erased` when that revision is gone for good.
 */
export async function rebuildMemory(
  deps: BoundDeps,
  caller: Caller,
  request: ScopeRequest & { readonly named: NamedRevision },
): Promise<Memory> {
  const { named } = request;
  const scope = await deps.scopes.find(caller, request);
  if (scope.id === undefined) throw new Error("a scope that was just written to is missing");
  const [memory] = await readRevisions(deps.db.inScope(scope.id), scope.id, [named]);
  if (memory === undefined) throw new MemgateError("memory_erased", "the memory of this command has been erased");
  return { ...memory, embeddingStatus: named.embeddingStatus };
}
