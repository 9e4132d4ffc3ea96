import { invalidRequest, type FieldError } from "../core/errors.js";
import { lineError, type ImportedMemory } from "../core/exported.js";
import { DERIVATION_DEPTH_MAX } from "../core/limits.js";
import type { Derivation } from "../db/queries/dependents.js";
import { readContentRevisions, setDepth, withSourceAtDepth } from "../db/queries/import-memories.js";
import { insertSources } from "../db/queries/memory-sources.js";
import type { Arrival } from "./plan-import.js";
import type { ScopeWrite } from "./write-in-scope.js";

/**
 * Ties new memories, which are stored by now, to what they were derived from; resolves with how deep each of them is.
 * Throws `invalid_request`, naming the lines, for a source that is not in the scope, and for a derivation that is too deep
 * or goes in a circle.
 */
export async function storeImportedSources(write: ScopeWrite, arrivals: readonly Arrival[]): Promise<Derivation[]> {
  const { tx, scopeId } = write;
  const derived = arrivals.flatMap(({ memory, stored }) => {
    return stored === undefined && memory.head.sources.length > 0 ? [memory] : [];
  });
  if (derived.length === 0) return [];
  const sources = derived.flatMap(({ head }) => head.sources);
  const known = await readContentRevisions(tx, scopeId, [...new Set(sources.map((source) => source.id))]);
  const errors = derived.flatMap((memory) => sourceFaults(memory, known));
  if (errors.length > 0) throw invalidRequest(errors);
  await insertSources(
    tx,
    scopeId,
    derived.flatMap(({ head }) =>
      head.sources.map((source) => ({ memoryId: head.id, source: { ...source, depth: 0 } })),
    ),
  );
  return await settleDepths(write, derived);
}

type Known = ReadonlyMap<string, { readonly contentRevision: number; readonly erased: boolean }>;

function sourceFaults({ head, line }: ImportedMemory, known: Known): FieldError[] {
  return head.sources.flatMap((source, index) => {
    const field = `sources[${String(index)}]`;
    const found = known.get(source.id);
    if (found === undefined) return [lineError(line, `${field}.id`, "is neither in this scope nor in this import")];
    if (found.erased || source.contentRevision <= found.contentRevision) return [];
    return [lineError(line, `${field}.content_revision`, "is one that the source never had")];
  });
}

/** Depth by depth, so that every memory ends one deeper than its deepest source; in a circle that has no end. */
async function settleDepths(write: ScopeWrite, derived: readonly ImportedMemory[]): Promise<Derivation[]> {
  const ids = derived.map(({ head }) => head.id);
  const depthOf = new Map<string, number>();
  for (let depth = 1; depth <= DERIVATION_DEPTH_MAX; depth++) {
    const deeper = await withSourceAtDepth(write.tx, write.scopeId, { ids, depth: depth - 1 });
    await setDepth(write.tx, write.scopeId, { ids: deeper, depth });
    for (const id of deeper) depthOf.set(id, depth);
  }
  const tooDeep = new Set(await withSourceAtDepth(write.tx, write.scopeId, { ids, depth: DERIVATION_DEPTH_MAX }));
  const message = `is derived over more than ${String(DERIVATION_DEPTH_MAX)} levels, or in a circle`;
  const errors = derived.flatMap(({ head, line }) =>
    tooDeep.has(head.id) ? [lineError(line, "sources", message)] : [],
  );
  if (errors.length > 0) throw invalidRequest(errors);
  return [...depthOf].map(([id, depth]) => ({ id, depth }));
}
