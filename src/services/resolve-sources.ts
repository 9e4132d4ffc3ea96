import type { FieldError } from "../core/errors.js";
import { DERIVATION_DEPTH_MAX } from "../core/limits.js";
import { findSources, readSourceIds, type SourceRow } from "../db/queries/memory-sources.js";
import type { HeadRow } from "../db/queries/write-memories.js";
import { usableId, usableIds } from "./memory-ids.js";
import { viewOf, type WritableScope } from "./resolve-scope.js";
import type { ScopeWrite } from "./write-in-scope.js";

/** A memory to store, as far as its sources go. */
export interface DerivedDraft {
  readonly sourceMemoryIds: readonly string[];
  /** The memory that it replaces, whose sources stay as they are. */
  readonly before: HeadRow | undefined;
}

/** What a new memory is derived from, or why it cannot be. */
export interface ResolvedSources {
  readonly sources: readonly SourceRow[];
  readonly errors: readonly FieldError[];
}

/**
 * Finds the sources that drafts name, under the scope's lock, so that what is pinned is what stands.
 * A source has to be current and visible to the author, and to stand as it is through the whole write.
 */
export async function resolveSources(
  write: ScopeWrite,
  scope: WritableScope,
  drafts: readonly DerivedDraft[],
): Promise<ResolvedSources[]> {
  const derived = drafts.filter((draft) => draft.sourceMemoryIds.length > 0);
  if (derived.length === 0) return drafts.map(() => ({ sources: [], errors: [] }));
  const wanted = usableIds(derived.flatMap((draft) => (draft.before === undefined ? draft.sourceMemoryIds : [])));
  const found = await findSources(write.tx, viewOf(scope, write.at), wanted);
  const replaced = drafts.flatMap((draft) => draft.before?.id ?? []);
  const known = {
    sources: new Map(found.map((source) => [source.id, source])),
    replaced: new Set(replaced),
    sourceIdsOf: await readSourceIds(write.tx, write.scopeId, replaced),
  };
  return drafts.map((draft) => {
    if (draft.before === undefined) return resolve(draft.sourceMemoryIds, known);
    return { sources: [], errors: differing(draft.sourceMemoryIds, known.sourceIdsOf.get(draft.before.id) ?? []) };
  });
}

interface Known {
  readonly sources: ReadonlyMap<string, SourceRow>;
  /** The memories that the same write replaces. */
  readonly replaced: ReadonlySet<string>;
}

function resolve(ids: readonly string[], known: Known): ResolvedSources {
  const named = ids.map((id) => known.sources.get(usableId(id) ?? ""));
  const errors = named.flatMap((source, index) => {
    const message = fault(source, known);
    return message === undefined ? [] : [{ path: `source_memory_ids[${String(index)}]`, message }];
  });
  return { sources: named.filter((source) => source !== undefined), errors };
}

/** One text for an unknown, foreign, invisible, deleted, rejected and expired source. */
function fault(source: SourceRow | undefined, { replaced }: Known): string | undefined {
  if (source === undefined) return "is not a current memory of this scope";
  if (replaced.has(source.id)) return "is replaced by another memory of this batch";
  if (source.depth < DERIVATION_DEPTH_MAX) return undefined;
  return `is itself derived over ${String(DERIVATION_DEPTH_MAX)} levels, which is the most`;
}

/** Sources never change: a memory that is posted again names the same ones, or none. */
function differing(given: readonly string[], stored: readonly string[]): FieldError[] {
  const wanted = new Set(usableIds(given));
  const same = wanted.size === given.length && wanted.size === stored.length && stored.every((id) => wanted.has(id));
  if (same || given.length === 0) return [];
  const message = "are not those of the memory with this external_id, which keeps the ones it was derived from";
  return [{ path: "source_memory_ids", message }];
}
