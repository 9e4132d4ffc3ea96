import { canonicalJson } from "../core/canonical-json.js";
import { MemgateError, type FieldError } from "../core/errors.js";
import { lineError, type ExportedHead, type ExportedRevision, type ImportedMemory } from "../core/exported.js";
import type { Runnable } from "../db/database.js";
import { readExportedHeads, readExportedRevisions } from "../db/queries/export-memories.js";
import { readExternalIds } from "../db/queries/import-memories.js";
import { inChunks } from "./in-chunks.js";

/** A memory that the import brings, or brings further. */
export interface Arrival {
  readonly memory: ImportedMemory;
  /** The last revision that is stored already, of a memory that is live; undefined for a new memory. */
  readonly stored: ExportedRevision | undefined;
}

/** Memories whose stored form is in memory at a time. */
const CHUNK = 200;

/**
 * Tells what is new from what is stored already, which has to be the same. Throws `import_conflict`, naming the lines, for
 * another content under an id or a revision, and for an external id that another live memory of the author has.
 */
export async function planImport(
  tx: Runnable,
  scopeId: number,
  memories: readonly ImportedMemory[],
): Promise<Arrival[]> {
  const arrivals: Arrival[] = [];
  const faults: FieldError[] = [];
  for (const chunk of inChunks(memories, CHUNK)) {
    const stored = await readStored(tx, scopeId, chunk);
    for (const memory of chunk) {
      const found = compare(memory, stored.get(memory.head.id));
      if (found === undefined) continue;
      if ("message" in found) faults.push(found);
      else arrivals.push(found);
    }
  }
  faults.push(...(await takenExternalIds(tx, scopeId, arrivals)));
  if (faults.length > 0) throw importConflict(faults);
  return arrivals;
}

/** The import says otherwise than the scope. */
export function importConflict(errors: readonly FieldError[]): MemgateError {
  const [first] = errors;
  return new MemgateError("import_conflict", first?.message ?? "it contradicts what is stored", {
    errors: errors.slice(0, ERRORS_MAX),
  });
}

/** The first faults tell enough. */
const ERRORS_MAX = 100;

interface Stored {
  readonly head: ExportedHead;
  /** Empty where the import has fewer: then it is refused without a look at them. */
  readonly revisions: readonly ExportedRevision[];
}

async function readStored(
  tx: Runnable,
  scopeId: number,
  chunk: readonly ImportedMemory[],
): Promise<Map<string, Stored>> {
  const given = new Map(chunk.map(({ head }) => [head.id, head]));
  const heads = await readExportedHeads(tx, scopeId, [...given.keys()]);
  const ids = heads.filter((head) => head.revision <= (given.get(head.id)?.revision ?? 0)).map((head) => head.id);
  const revisions = ids.length === 0 ? [] : await readExportedRevisions(tx, scopeId, ids);
  const stored = new Map(heads.map((head) => [head.id, { head, revisions: [] as ExportedRevision[] }]));
  for (const revision of revisions) stored.get(revision.id)?.revisions.push(revision);
  return stored;
}

/** Undefined where all of it is stored already. */
function compare(memory: ImportedMemory, stored: Stored | undefined): Arrival | FieldError | undefined {
  if (stored === undefined) return { memory, stored: undefined };
  const fault = headFault(memory, stored.head) ?? revisionFault(memory, stored.revisions);
  if (fault !== undefined) return fault;
  return stored.head.revision === memory.head.revision ? undefined : { memory, stored: stored.revisions.at(-1) };
}

function headFault({ head, line }: ImportedMemory, stored: ExportedHead): FieldError | undefined {
  if (stored.revision > head.revision) {
    return lineError(line, "revision", `the memory is at revision ${String(stored.revision)} already`);
  }
  const same = stored.revision === head.revision;
  if (!same && stored.deletedAt !== null) return lineError(line, "id", "the memory was deleted, and is not revived");
  if (!same && head.erasedAt !== null)
    return lineError(line, "erased", "the memory is not erased here: erase it first");
  const { id, agentId, createdAt, sources } = head;
  const field = difference(stored, same ? head : { id, agentId, createdAt, sources });
  return field === undefined ? undefined : lineError(line, field, "differs from what is stored under this id");
}

function revisionFault(
  { revisions, line }: ImportedMemory,
  stored: readonly ExportedRevision[],
): FieldError | undefined {
  for (const [index, revision] of stored.entries()) {
    const field = difference(revision, revisions[index] ?? {});
    if (field !== undefined) return lineError(line + 1 + index, field, "differs from what is stored as this revision");
  }
  return undefined;
}

/** The wire name of the first field in which the stored form differs from the given one, of those that are given. */
function difference(stored: object, given: object): string | undefined {
  const other = Object.entries(given).find(([field, value]) => {
    return canonicalJson(value) !== canonicalJson((stored as Record<string, unknown>)[field]);
  });
  return other?.[0].replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** An external id names one live memory of an author, in the scope as it will be. */
async function takenExternalIds(tx: Runnable, scopeId: number, arrivals: readonly Arrival[]): Promise<FieldError[]> {
  const ids = new Set(arrivals.map(({ memory }) => memory.head.id));
  const live = arrivals.flatMap(({ memory }) => {
    const externalId = memory.revisions.at(-1)?.externalId ?? null;
    return memory.head.deletedAt !== null || externalId === null ? [] : [{ memory, externalId }];
  });
  const stored = await readExternalIds(
    tx,
    scopeId,
    live.map(({ externalId }) => externalId),
  );
  const taken = new Set(stored.filter(({ id }) => !ids.has(id)).map((row) => nameOf(row.agentId, row.externalId)));
  return live.flatMap(({ memory, externalId }) => {
    const name = nameOf(memory.head.agentId, externalId);
    const line = memory.line + memory.revisions.length;
    if (taken.has(name)) return [lineError(line, "external_id", "another memory of this author has it")];
    taken.add(name);
    return [];
  });
}

function nameOf(agentId: string | null, externalId: string): string {
  return JSON.stringify([agentId, externalId]);
}
