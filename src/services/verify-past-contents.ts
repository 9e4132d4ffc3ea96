import type { Runnable } from "../db/database.js";
import { differingPastPostings, type PastPostingRow } from "../db/queries/past-postings.js";
import { readEndedContents, type EndedPosition } from "../db/queries/verify-past-postings.js";
import type { Disagreement } from "../db/queries/verify-scope.js";
import { indexContent } from "./index-content.js";
import { groupByTerms, toPastPosting } from "./retire-contents.js";

/** Contents that are in memory at a time, of at most 64 KiB each. */
const CONTENTS = 50;

/** Compares the words that are kept of superseded and deleted contents with those contents. */
export async function* verifyPastContents(tx: Runnable, scopeId: number): AsyncGenerator<Disagreement> {
  for (let after: EndedPosition | undefined; ;) {
    const page = await readEndedContents(tx, scopeId, { after, limit: CONTENTS });
    const rows = page.map((ended) => toPastPosting(ended, indexContent(ended.content)));
    for (const group of groupByTerms(rows)) yield* differences(tx, scopeId, group);
    const end = page.at(-1);
    if (end === undefined) return;
    after = end;
  }
}

async function* differences(
  tx: Runnable,
  scopeId: number,
  rows: readonly PastPostingRow[],
): AsyncGenerator<Disagreement> {
  for (const { memoryId, contentRevision, missing } of await differingPastPostings(tx, scopeId, rows)) {
    const which = `past postings of content revision ${String(contentRevision)}`;
    const detail = missing ? `it lacks the ${which}` : `the ${which} differ from the content`;
    yield { check: "past_posting", memoryId, detail };
  }
}
