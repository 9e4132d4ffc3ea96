import type { Runnable } from "../database.js";
import { sql } from "../sql.js";

/** The terms of one memory in one lexeme set, as hashes; frequencies in the same order. */
export interface PostingRow {
  readonly memoryNo: number;
  readonly terms: readonly bigint[];
  readonly frequencies: readonly number[];
  /** Lexemes of the memory in the set, repetitions counted. */
  readonly length: number;
}

/** Adds the postings of memories that have none yet. */
export async function insertPostings(tx: Runnable, scopeId: number, rows: readonly PostingRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.run(sql`
    insert into postings (scope_id, term, memory_no, frequency, length)
    select ${scopeId}::bigint, n.term, n.memory_no, n.frequency, n.length
    from unnest(
      ${rows.flatMap((row) => row.terms)}::bigint[],
      ${rows.flatMap((row) => row.terms.map(() => row.memoryNo))}::bigint[],
      ${rows.flatMap((row) => row.frequencies)}::integer[],
      ${rows.flatMap((row) => row.terms.map(() => row.length))}::integer[]) as n(term, memory_no, frequency, length)
  `);
}

/** Removes the postings of one memory; `terms` are those of the content that it had. */
export async function removePostings(
  tx: Runnable,
  scopeId: number,
  gone: readonly Pick<PostingRow, "memoryNo" | "terms">[],
): Promise<void> {
  if (gone.length === 0) return;
  await tx.run(sql`
    delete from postings as p
    using unnest(
      ${gone.flatMap((row) => row.terms)}::bigint[],
      ${gone.flatMap((row) => row.terms.map(() => row.memoryNo))}::bigint[]) as n(term, memory_no)
    where p.scope_id = ${scopeId}::bigint
      and p.term = n.term
      and p.memory_no = n.memory_no
  `);
}
