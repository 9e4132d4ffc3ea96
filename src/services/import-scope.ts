import { forbidden } from "../core/errors.js";
import type { ImportedMemory } from "../core/exported.js";
import { readContentRevisions } from "../db/queries/import-memories.js";
import { contentKeys } from "./content-keys.js";
import type { BoundDeps, Caller } from "./deps.js";
import { embedInSpaces, NO_VECTORS } from "./embed-in-spaces.js";
import { refuseTiedKey } from "./export-scope.js";
import { toOnce, type OnceRequest } from "./once.js";
import { planImport } from "./plan-import.js";
import type { ScopeRequest } from "./resolve-scope.js";
import { storeImport, type PreparedImport } from "./store-import.js";
import { writeInScope, type Written } from "./write-in-scope.js";

export interface ImportRequest extends ScopeRequest {
  /** With distinct ids; the revisions of each are complete and in order. */
  readonly memories: readonly ImportedMemory[];
  readonly once: OnceRequest | undefined;
}

/** Kept by the receipt, so it has to be JSON. */
export interface Imported {
  readonly created: number;
  /** Were there with an earlier revision. */
  readonly updated: number;
  /** Were there as they are. */
  readonly unchanged: number;
}

/**
 * Restores memories with their ids, times and histories, all or none; what is stored already has to be the same.
 * Throws `import_conflict`, `invalid_request` for sources that are not to be had, or `forbidden`.
 */
export async function importScope(deps: BoundDeps, caller: Caller, request: ImportRequest): Promise<Written<Imported>> {
  refuseTiedKey(caller, request.names);
  refuseReviews(caller, request.memories);
  const scope = await deps.scopes.ensure(caller, { names: request.names, agentId: request.agentId });
  return await writeInScope(
    deps,
    { scopeId: scope.id, once: await toOnce(deps, caller, request.once) },
    {
      prepare: async () => await prepare(deps, caller, { scopeId: scope.id, memories: request.memories }),
      work: async (write, prepared) => {
        const arrivals = await planImport(write.tx, write.scopeId, request.memories);
        await storeImport({ write, prepared }, arrivals);
        const created = arrivals.filter(({ stored }) => stored === undefined).length;
        return {
          created,
          updated: arrivals.length - created,
          unchanged: request.memories.length - arrivals.length,
        };
      },
    },
  );
}

/** An import is no way round the right to review. */
function refuseReviews(caller: Caller, memories: readonly ImportedMemory[]): void {
  if (caller.capabilities.has("memory_review")) return;
  const reviewed = memories.find(({ revisions }) => revisions.some(({ review }) => review !== "none"));
  if (reviewed === undefined) return;
  throw forbidden(`line ${String(reviewed.line)}: the memory was reviewed, and this key lacks memory_review`);
}

async function prepare(
  deps: BoundDeps,
  caller: Caller,
  { scopeId, memories }: { readonly scopeId: number; readonly memories: readonly ImportedMemory[] },
): Promise<PreparedImport> {
  const last = memories.flatMap(({ head, revisions }) => {
    const revision = revisions.at(-1);
    return revision === undefined ? [] : [{ live: head.deletedAt === null, ...revision }];
  });
  const ids = last.map(({ id }) => id);
  const stored = await readContentRevisions(deps.db.inScope(scopeId), scopeId, ids);
  const fresh = last.filter(
    ({ id, live, contentRevision }) => live && stored.get(id)?.contentRevision !== contentRevision,
  );
  const embedded = await embedInSpaces(
    deps,
    fresh.map(({ content }) => content),
  );
  const keys = await contentKeys(
    deps,
    caller,
    last.map(({ content }) => content),
  );
  return {
    embedded: new Map(fresh.map(({ id }, index) => [id, embedded[index] ?? NO_VECTORS])),
    contentKeys: new Map(ids.map((id, index) => [id, keys[index] ?? ""])),
  };
}
