import type { Memory } from "../core/memory.js";
import { createMemories, type Stored } from "./create-memories.js";
import type { CreateRequest, MemoryDraft } from "./creation-request.js";
import type { BoundDeps, Caller } from "./deps.js";
import { rebuildMemory } from "./rebuild-memory.js";

/** Stores one memory and resolves with it as it was stored. Throws what `createMemories` throws. */
export async function createMemory(
  deps: BoundDeps,
  caller: Caller,
  request: Omit<CreateRequest, "drafts" | "paths" | "atomic"> & { readonly draft: MemoryDraft },
): Promise<{ outcome: Stored["outcome"]; memory: Memory; replayed: boolean }> {
  const { draft, ...rest } = request;
  const { result, replayed } = await createMemories(deps, caller, {
    ...rest,
    drafts: [draft],
    paths: [""],
    atomic: true,
  });
  const [created] = result;
  if (created === undefined || created.outcome === "rejected")
    throw new Error("a memory that was just stored has no outcome");
  return {
    outcome: created.outcome,
    memory: await rebuildMemory(deps, caller, { ...request, named: created }),
    replayed,
  };
}
