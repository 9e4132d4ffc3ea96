import type { Memory } from "../core/memory.js";
import { readRevisions } from "../db/queries/revisions.js";
import { createMemories, type Created, type MemoryDraft } from "./create-memories.js";
import type { Caller, ServiceDeps } from "./deps.js";
import type { ScopeRequest, ScopeResolver } from "./resolve-scope.js";

/** Stores one memory and resolves with it as stored. */
export async function createMemory(
  deps: ServiceDeps & { readonly scopes: ScopeResolver },
  caller: Caller,
  request: ScopeRequest & { readonly draft: MemoryDraft },
): Promise<{ outcome: Created["outcome"]; memory: Memory }> {
  const { draft, ...scopeRequest } = request;
  const [created] = await createMemories(deps, caller, { ...scopeRequest, drafts: [draft] });
  const scope = await deps.scopes.find(caller, scopeRequest);
  if (created === undefined || scope.id === undefined) throw new Error("a memory that was just stored is missing");
  const [memory] = await readRevisions(deps.db, scope.id, { revisions: [created], spaceId: deps.spaceId });
  if (memory === undefined) throw new Error("a memory that was just stored is missing");
  return { outcome: created.outcome, memory };
}
