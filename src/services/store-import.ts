import type { EventKind } from "../core/journal.js";
import { lineError, type ExportedRevision } from "../core/exported.js";
import { projectCandidates, removeCandidates } from "../db/queries/candidates.js";
import { replaceGrants, storeHeads, type ImportedHeadRow } from "../db/queries/import-memories.js";
import { insertPostings } from "../db/queries/postings.js";
import { insertRevisions } from "../db/queries/write-memories.js";
import { sqlState } from "../db/sql-state.js";
import { DependentsOfWrite } from "./dependents-of-write.js";
import { NO_VECTORS, type SpaceVectors } from "./embed-in-spaces.js";
import { inChunks } from "./in-chunks.js";
import { indexContent, postingsOf } from "./index-content.js";
import { insertVectors } from "./insert-vectors.js";
import { importConflict, type Arrival } from "./plan-import.js";
import { retireContents, type RetiredContent } from "./retire-contents.js";
import { storeImportedSources } from "./store-imported-sources.js";
import type { ScopeWrite } from "./write-in-scope.js";

/** What was made ready outside the lock, by the id of the memory. */
export interface PreparedImport {
  readonly embedded: ReadonlyMap<string, SpaceVectors>;
  readonly contentKeys: ReadonlyMap<string, string>;
}

interface Import {
  readonly write: ScopeWrite;
  readonly prepared: PreparedImport;
}

/** Memories in one statement: up to 100 KiB for each of their revisions. */
const CHUNK = 200;

const UNIQUE_VIOLATION = "23505";

/** Stores what an import brings, with all that hangs on it, and notes the events. */
export async function storeImport(work: Import, arrivals: readonly Arrival[]): Promise<void> {
  const { write } = work;
  const { tx, scopeId } = write;
  const dependents = new DependentsOfWrite(write);
  await dependents.gather(arrivals.filter(({ stored }) => stored !== undefined).map(idOf));
  // What is deleted gives its external id free, so it goes first.
  const inOrder = arrivals.toSorted((a, b) => rank(a) - rank(b));
  const numbers = new Map<string, number>();
  for (const chunk of inChunks(inOrder, CHUNK)) {
    for (const [id, number] of await storeRows(work, chunk)) numbers.set(id, number);
  }
  dependents.add(await storeImportedSources(write, arrivals));
  for (const chunk of inChunks(inOrder, CHUNK)) {
    await replaceGrants(tx, scopeId, {
      ids: chunk.map(idOf),
      grants: chunk.flatMap(({ memory: { head } }) => head.grants.map((grant) => ({ memoryId: head.id, ...grant }))),
    });
    await bind(work, chunk);
  }
  await dependents.refresh();
  for (const chunk of inChunks(inOrder, CHUNK)) await project(work, chunk, numbers);
  for (const arrival of arrivals) note(write, arrival);
}

function idOf({ memory }: Arrival): string {
  return memory.head.id;
}

function isLive({ memory }: Arrival): boolean {
  return memory.head.deletedAt === null;
}

function rank(arrival: Arrival): number {
  if (arrival.stored === undefined) return 2;
  return isLive(arrival) ? 1 : 0;
}

async function storeRows({ write, prepared }: Import, chunk: readonly Arrival[]): Promise<Map<string, number>> {
  const { tx, scopeId } = write;
  const rows = chunk.map((arrival) => toHeadRow(write, arrival, prepared.contentKeys.get(idOf(arrival)) ?? null));
  const numbers = await storeHeads(tx, scopeId, rows).catch((error: unknown) => {
    // External ids that change hands within the import, in an order that the unique index does not allow.
    if (sqlState(error) !== UNIQUE_VIOLATION) throw error;
    throw importConflict([lineError(chunk[0]?.memory.line ?? 1, "external_id", "from here on one is still taken")]);
  });
  const revisions = chunk.flatMap(({ memory, stored }) => memory.revisions.slice(stored?.revision ?? 0));
  for (const some of inChunks(revisions, CHUNK)) {
    const indexed = some.map((revision) => ({ ...revision, ...indexContent(revision.content).facts }));
    await insertRevisions(tx, scopeId, indexed);
  }
  return numbers;
}

function toHeadRow(write: ScopeWrite, { memory, stored }: Arrival, contentKey: string | null): ImportedHeadRow {
  const { head, revisions } = memory;
  const last = revisions.at(-1);
  return {
    ...head,
    // The number of a stored memory stays: this one is not used then.
    memoryNo: stored === undefined ? write.takeMemoryNo() : 0,
    contentRevision: last?.contentRevision ?? 0,
    externalId: last?.externalId ?? null,
    review: last?.review ?? "none",
    expiresAt: last?.expiresAt ?? null,
    contentKey,
  };
}

async function bind({ write, prepared }: Import, chunk: readonly Arrival[]): Promise<void> {
  const rows = chunk.filter(isLive).map(({ memory, stored }) => {
    const { id, contentRevision } = lastOf(memory.revisions);
    const embedded = prepared.embedded.get(id) ?? NO_VECTORS;
    if (stored?.contentRevision !== contentRevision) write.noteContent(embedded);
    return { memoryId: id, contentRevision, embedded };
  });
  await insertVectors(write, rows);
}

async function project(
  { write }: Import,
  chunk: readonly Arrival[],
  numbers: ReadonlyMap<string, number>,
): Promise<void> {
  const { tx, scopeId } = write;
  const numberOf = (arrival: Arrival): number => numbers.get(idOf(arrival)) ?? 0;
  const rewritten = chunk.filter((arrival) => {
    return !isLive(arrival) || arrival.stored?.contentRevision !== lastOf(arrival.memory.revisions).contentRevision;
  });
  const added = rewritten.filter(isLive).flatMap((arrival) => {
    return postingsOf({ memoryNo: numberOf(arrival), content: lastOf(arrival.memory.revisions).content });
  });
  await retireContents(
    write,
    rewritten.flatMap((arrival) => endedContents(arrival, numberOf(arrival))),
  );
  const ended = chunk.filter((arrival) => !isLive(arrival) && arrival.stored !== undefined);
  await removeCandidates(tx, scopeId, ended.map(idOf));
  await projectCandidates(tx, scopeId, chunk.filter(isLive).map(idOf));
  await insertPostings(tx, scopeId, added);
}

/** The contents that are over with an import: what was live here until then, and what came with others after it. */
function endedContents(arrival: Arrival, memoryNo: number): RetiredContent[] {
  const { memory, stored } = arrival;
  const live = isLive(arrival) ? lastOf(memory.revisions).contentRevision : undefined;
  const contents = new Map(memory.revisions.map((revision) => [revision.contentRevision, revision]));
  return [...contents.values()]
    .filter(({ contentRevision }) => contentRevision !== live && contentRevision >= (stored?.contentRevision ?? 0))
    .map(({ id, contentRevision, content }) => ({ id, memoryNo, contentRevision, content }));
}

/** An import is the history that it brings: one event for each revision, as if it had been written here. */
function note(write: ScopeWrite, { memory, stored }: Arrival): void {
  const { head, revisions } = memory;
  const add = (kind: EventKind, revision: number): void => {
    write.changes.push({ kind, memoryId: head.id, revision });
  };
  for (const [index, { revision, review }] of revisions.entries()) {
    if (revision <= (stored?.revision ?? 0)) continue;
    const before = revisions[index - 1];
    const first = head.sources.length === 0 ? "created" : "derived";
    add(before === undefined ? first : before.review === review ? "updated" : "reviewed", revision);
  }
  if (head.erasedAt !== null) add("erased", head.revision);
  else if (head.deletedAt !== null) add("deleted", head.revision);
  write.live += (head.deletedAt === null ? 1 : 0) - (stored === undefined ? 0 : 1);
}

/** Only an erased memory has no revisions, and that is not live. */
function lastOf(revisions: readonly ExportedRevision[]): ExportedRevision {
  const last = revisions.at(-1);
  if (last === undefined) throw new Error("a live memory without revisions was imported");
  return last;
}
