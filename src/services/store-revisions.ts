import type { EventKind } from "../core/journal.js";
import { projectCandidates } from "../db/queries/candidates.js";
import { insertSources, type SourceRow } from "../db/queries/memory-sources.js";
import { insertPostings } from "../db/queries/postings.js";
import {
  insertMemories,
  reviseMemories,
  type ContentFacts,
  type HeadRow,
  type NewMemoryRow,
  type RevisionRow,
} from "../db/queries/write-memories.js";
import { bearsOnDependents, DependentsOfWrite } from "./dependents-of-write.js";
import type { SpaceVectors } from "./embed-in-spaces.js";
import { indexContent, indexContents } from "./index-content.js";
import { insertVectors } from "./insert-vectors.js";
import { groupByTerms, retireContents } from "./retire-contents.js";
import type { ScopeWrite } from "./write-in-scope.js";

/** One revision to store: `before` is the memory as it stands (undefined for a new one). */
export interface RevisionChange {
  readonly kind: Exclude<EventKind, "deleted" | "embedding_attached" | "erased">;
  readonly row: Omit<RevisionRow, keyof ContentFacts>;
  readonly before: HeadRow | undefined;
  /** What a new memory is derived from; empty for any other. */
  readonly sources: readonly SourceRow[];
  /** The content's vectors; what is missing is left to the embedding loop, or to the bindings that the content has. */
  readonly embedded: SpaceVectors;
}

/**
 * Writes revisions, bindings, candidates, postings and events of one write, and brings what is derived from the changed
 * memories up to date. Throws `derivation_too_wide` before anything is written.
 */
export async function storeRevisions(write: ScopeWrite, changes: readonly RevisionChange[]): Promise<void> {
  const { tx, scopeId } = write;
  const indexed = await indexContents(changes.map((change) => change.row.content));
  const stored = changes.map((change, index) => {
    const { facts, postings } = indexed[index] ?? indexContent(change.row.content);
    return { ...change, row: { ...change.row, ...facts }, postings };
  });
  const dependents = new DependentsOfWrite(write);
  await dependents.gather(changes.flatMap(idWithDependents));
  await insertMemories(tx, scopeId, newRowsOf(stored));
  await insertSources(tx, scopeId, sourcesOf(changes));
  await reviseMemories(tx, scopeId, rowsOf(stored.filter((each) => each.before !== undefined)));
  await insertVectors(
    write,
    changes.map(({ row, embedded }) => ({ memoryId: row.id, contentRevision: row.contentRevision, embedded })),
  );
  dependents.add(newRowsOf(stored).filter((row) => row.depth > 0));
  await dependents.refresh();
  await projectCandidates(
    tx,
    scopeId,
    changes.map((each) => each.row.id),
  );
  const rewritten = stored.filter((each) => each.before?.contentRevision !== each.row.contentRevision);
  await retireContents(
    write,
    rewritten.flatMap((each) => each.before ?? []),
  );
  const postings = rewritten.flatMap((each) => each.postings.map((set) => ({ memoryNo: each.row.memoryNo, ...set })));
  for (const group of groupByTerms(postings)) await insertPostings(tx, scopeId, group);
  note(write, changes, rewritten);
}

/** What the scope's head has to know: events, live memories, and content that still needs a vector. */
function note(write: ScopeWrite, changes: readonly RevisionChange[], rewritten: readonly RevisionChange[]): void {
  for (const { kind, row, before } of changes) {
    write.changes.push({ kind, memoryId: row.id, revision: row.revision });
    if (before === undefined) write.live += 1;
  }
  for (const { embedded } of rewritten) write.noteContent(embedded);
}

function rowsOf(changes: readonly { readonly row: RevisionRow }[]): RevisionRow[] {
  return changes.map((each) => each.row);
}

function newRowsOf(changes: readonly (RevisionChange & { readonly row: RevisionRow })[]): NewMemoryRow[] {
  return changes.flatMap(({ row, before, sources }) => {
    const depth = sources.reduce((deepest, source) => Math.max(deepest, source.depth + 1), 0);
    return before === undefined ? [{ ...row, depth }] : [];
  });
}

function sourcesOf(changes: readonly RevisionChange[]) {
  return changes.flatMap(({ row, sources }) => sources.map((source) => ({ memoryId: row.id, source })));
}

function idWithDependents({ before, row }: RevisionChange): string[] {
  return before !== undefined && bearsOnDependents(before, row) ? [row.id] : [];
}
