import { insertPastPostings, type PastPostingRow } from "../db/queries/past-postings.js";
import { removePostings } from "../db/queries/postings.js";
import { inChunks } from "./in-chunks.js";
import { indexContents, type IndexedContent } from "./index-content.js";
import type { ScopeWrite } from "./write-in-scope.js";

/** A content that is no longer what its memory says. */
export interface RetiredContent {
  readonly id: string;
  readonly memoryNo: number;
  readonly contentRevision: number;
  readonly content: string;
}

/** Contents whose words are in memory at a time, of at most 64 KiB each. */
const CONTENTS = 50;

/** Terms in one statement: its parameters are made in one go, and others wait meanwhile. */
const TERMS_MAX = 20_000;

/**
 * Takes contents out of what search reads now, where they are in it, and keeps their words for reading the past.
 * To be called before the postings of what follows them are added.
 */
export async function retireContents(write: ScopeWrite, contents: readonly RetiredContent[]): Promise<void> {
  const { tx, scopeId } = write;
  for (const some of inChunks(contents, CONTENTS)) {
    const indexed = await indexContents(some.map(({ content }) => content));
    const retired = indexed.flatMap((words, index) => {
      const each = some[index];
      return each === undefined ? [] : [{ memoryNo: each.memoryNo, ...toPastPosting(each, words) }];
    });
    for (const group of groupByTerms(retired)) {
      await removePostings(tx, scopeId, group);
      await insertPastPostings(tx, scopeId, group);
    }
  }
}

/** The words of a content that is over, as they are kept. */
export function toPastPosting(
  { id, contentRevision }: Pick<RetiredContent, "id" | "contentRevision">,
  { postings }: IndexedContent,
): PastPostingRow {
  const words = postings.flatMap(({ terms, frequencies, length }) =>
    terms.map((term, index) => ({ term, frequency: frequencies[index] ?? 0, length })),
  );
  words.sort((a, b) => (a.term < b.term ? -1 : 1));
  return {
    memoryId: id,
    contentRevision,
    terms: words.map(({ term }) => term),
    frequencies: words.map(({ frequency }) => frequency),
    lengths: words.map(({ length }) => length),
  };
}

/** The rows in groups of so many terms, or of one row that has more. */
export function groupByTerms<Row extends { readonly terms: readonly bigint[] }>(rows: readonly Row[]): Row[][] {
  const groups: Row[][] = [];
  let terms = Infinity;
  for (const row of rows) {
    if (terms + row.terms.length > TERMS_MAX) {
      groups.push([]);
      terms = 0;
    }
    groups.at(-1)?.push(row);
    terms += row.terms.length;
  }
  return groups;
}
