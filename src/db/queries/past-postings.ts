import type { Runnable } from "../database.js";
import { sql, type Sql } from "../sql.js";

/** The words of a content that is no longer live. */
export interface PastPostingRow {
  readonly memoryId: string;
  readonly contentRevision: number;
  /** Hashes of both lexeme sets, ascending. */
  readonly terms: readonly bigint[];
  /** Of each term. */
  readonly frequencies: readonly number[];
  /** Of each term: lexemes of the content in the term's set, repetitions counted. */
  readonly lengths: readonly number[];
}

/** Keeps the words of contents that have just ended, or that were over when they came. */
export async function insertPastPostings(
  tx: Runnable,
  scopeId: number,
  rows: readonly PastPostingRow[],
): Promise<void> {
  if (rows.length === 0) return;
  await tx.run(sql`
    insert into past_postings (scope_id, memory_id, content_revision, terms, frequencies, lengths)
    select ${scopeId}::bigint, n.memory_id, n.content_revision, n.terms, n.frequencies, n.lengths
    from (${asRows(rows)}) as n
  `);
}

/** Those of these contents that have no row, or one with other words. */
export async function differingPastPostings(
  db: Runnable,
  scopeId: number,
  rows: readonly PastPostingRow[],
): Promise<{ memoryId: string; contentRevision: number; missing: boolean }[]> {
  if (rows.length === 0) return [];
  return await db.run(sql`
    select n.memory_id as "memoryId",
           n.content_revision as "contentRevision",
           p.memory_id is null as "missing"
    from (${asRows(rows)}) as n
    left join past_postings as p
      on p.scope_id = ${scopeId}::bigint
      and p.memory_id = n.memory_id
      and p.content_revision = n.content_revision
    where (p.terms, p.frequencies, p.lengths) is distinct from (n.terms, n.frequencies, n.lengths)
    order by n.memory_id, n.content_revision
  `);
}

/** The rows as a select of their columns: all lists end to end, and the part of each content. */
function asRows(rows: readonly PastPostingRow[]): Sql {
  let end = 0;
  const lasts = rows.map((row) => (end += row.terms.length));
  return sql`
      select part.memory_id, part.content_revision, given.terms[part.first:part.last] as terms,
             given.frequencies[part.first:part.last] as frequencies, given.lengths[part.first:part.last] as lengths
      from unnest(
        ${rows.map((row) => row.memoryId)}::uuid[],
        ${rows.map((row) => row.contentRevision)}::integer[],
        ${rows.map((row, index) => (lasts[index] ?? 0) - row.terms.length + 1)}::integer[],
        ${lasts}::integer[]) as part(memory_id, content_revision, first, last)
      cross join (
        select ${rows.flatMap((row) => row.terms)}::bigint[] as terms,
               ${rows.flatMap((row) => row.frequencies)}::integer[] as frequencies,
               ${rows.flatMap((row) => row.lengths)}::integer[] as lengths
      ) as given`;
}
