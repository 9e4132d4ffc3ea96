import type { Memory } from "../core/memory.js";
import { createMemories, type Created, type CreateRequest, type MemoryDraft } from "./create-memories.js";
import type { BoundDeps, Caller } from "./deps.js";
import { rebuildMemory } from "./rebuild-memory.js";

/** Stores one memory and resolves with it as it was stored. */
export async function createMemory(
  deps: BoundDeps,
  caller: Caller,
  request: Omit<CreateRequest, "drafts"> & { readonly draft: MemoryDraft },
): Promise<{ outcome: Created["outcome"]; memory: Memory; replayed: boolean }> {
  const { draft, ...rest } = request;
  const { result, replayed } = await createMemories(deps, caller, { ...rest, drafts: [draft] });
  const [created] = result;
  if (created === undefined) throw new Error("a memory that was just stored has no outcome");
  return {
    outcome: created.outcome,
    memory: await rebuildMemory(deps, caller, { ...request, named: created }),
    replayed,
  };
}
