import { createHash } from "node:crypto";
import { queryIdentifiers, queryTerms } from "../core/query-terms.js";
import { termHash, type TermKind } from "../core/term-hash.js";
import { analyse } from "../core/tokenise.js";
import type { PostingRow } from "../db/queries/postings.js";
import type { ContentFacts } from "../db/queries/write-memories.js";
import { turnTaker } from "./take-turns.js";

/** What a content puts into the index; the same text always gives the same. */
export interface IndexedContent {
  readonly facts: ContentFacts;
  readonly postings: readonly Omit<PostingRow, "memoryNo">[];
}

/** Lexemes, lengths and digest of one content. */
export function indexContent(content: string): IndexedContent {
  const analysis = analyse(content);
  return {
    facts: {
      contentDigest: createHash("sha256").update(content).digest("hex"),
      exactLength: analysis.exactLength,
      stemmedLength: analysis.stemmedLength,
    },
    postings: [
      posting("exact", analysis.exact, analysis.exactLength),
      posting("stemmed", analysis.stemmed, analysis.stemmedLength),
    ],
  };
}

/**
 * {@link indexContent} for many contents, in order, with turns for others in between: 55 KB of words that are all
 * different take some 60 ms, a batch of them would hold up every reply.
 */
export async function indexContents(contents: readonly string[]): Promise<IndexedContent[]> {
  const indexed: IndexedContent[] = [];
  const turn = turnTaker();
  for (const content of contents) {
    await turn();
    indexed.push(indexContent(content));
  }
  return indexed;
}

/** The postings of one memory with this content. */
export function postingsOf(memory: { readonly memoryNo: number; readonly content: string }): PostingRow[] {
  return indexContent(memory.content).postings.map((each) => ({ memoryNo: memory.memoryNo, ...each }));
}

/** Hashes of a query's terms in the lexeme set that search uses, `bm25_en_v2`. */
export function queryHashes(query: string): bigint[] {
  return queryTerms(query, "stemmed").map((term) => termHash("stemmed", term));
}

/** Hashes of the identifiers among them. */
export function identifierHashes(query: string): bigint[] {
  return queryIdentifiers(query).map((term) => termHash("stemmed", term));
}

function posting(kind: TermKind, terms: ReadonlyMap<string, number>, length: number): Omit<PostingRow, "memoryNo"> {
  return { terms: [...terms.keys()].map((term) => termHash(kind, term)), frequencies: [...terms.values()], length };
}
