import { insertBindings } from "../db/queries/bindings.js";
import { projectCandidates } from "../db/queries/candidates.js";
import { insertPostings, removePostings } from "../db/queries/postings.js";
import {
  insertMemories,
  reviseMemories,
  type ContentFacts,
  type HeadRow,
  type RevisionRow,
} from "../db/queries/write-memories.js";
import type { EmbeddedText } from "../embeddings/embedder.js";
import type { ServiceDeps } from "./deps.js";
import { indexContent, postingsOf } from "./index-content.js";
import type { ScopeWrite } from "./write-in-scope.js";

/** One revision to store: `before` is the memory as it stands (undefined for a new one). */
export interface RevisionChange {
  readonly row: Omit<RevisionRow, keyof ContentFacts>;
  readonly before: HeadRow | undefined;
  /** The content's vector; null leaves it to the embedding loop, or to the binding that the content already has. */
  readonly embedded: EmbeddedText | null;
}

/** Writes revisions, bindings, candidates, postings and events of one write. */
export async function storeRevisions(
  write: ScopeWrite,
  deps: Pick<ServiceDeps, "spaceId">,
  changes: readonly RevisionChange[],
): Promise<void> {
  const { tx, scopeId } = write;
  const stored = changes.map((change) => {
    const { facts, postings } = indexContent(change.row.content);
    return { ...change, row: { ...change.row, ...facts }, postings };
  });
  await insertMemories(tx, scopeId, rowsOf(stored.filter((each) => each.before === undefined)));
  await reviseMemories(tx, scopeId, rowsOf(stored.filter((each) => each.before !== undefined)));
  await insertBindings(tx, scopeId, { spaceId: deps.spaceId, at: write.at, rows: bindingsOf(changes) });
  await projectCandidates(tx, scopeId, { spaceId: deps.spaceId, ids: changes.map((each) => each.row.id) });
  const rewritten = stored.filter((each) => each.before?.contentRevision !== each.row.contentRevision);
  await removePostings(
    tx,
    scopeId,
    rewritten.flatMap((each) => (each.before === undefined ? [] : postingsOf(each.before))),
  );
  const postings = rewritten.flatMap((each) => each.postings.map((set) => ({ memoryNo: each.row.memoryNo, ...set })));
  await insertPostings(tx, scopeId, postings);
  note(write, changes, rewritten);
}

/** What the scope's head has to know: events, live memories, and content that still needs a vector. */
function note(write: ScopeWrite, changes: readonly RevisionChange[], rewritten: readonly RevisionChange[]): void {
  for (const { row, before } of changes) {
    write.changes.push({
      kind: before === undefined ? "created" : "updated",
      memoryId: row.id,
      revision: row.revision,
    });
    if (before === undefined) write.live += 1;
  }
  if (rewritten.some((change) => change.embedded === null)) write.pending = true;
}

function rowsOf(changes: readonly { readonly row: RevisionRow }[]): RevisionRow[] {
  return changes.map((each) => each.row);
}

function bindingsOf(changes: readonly RevisionChange[]) {
  return changes.flatMap(({ row, embedded }) => {
    return embedded === null ? [] : [{ memoryId: row.id, contentRevision: row.contentRevision, ...embedded }];
  });
}
