import type { Runnable } from "../database.js";
import { sql, type Sql } from "../sql.js";
import type { PostingRow } from "./postings.js";

/** A live memory with its content and what the program computed from that. */
export interface IndexedMemory {
  readonly id: string;
  readonly memoryNo: number;
  readonly content: string;
  readonly contentKey: string | null;
  readonly exactLength: number;
  readonly stemmedLength: number;
}

/** The next live memories by number. */
export async function readIndexedMemories(
  db: Runnable,
  scopeId: number,
  page: { readonly after: number; readonly limit: number },
): Promise<IndexedMemory[]> {
  return await db.run<IndexedMemory>(sql`
    select m.id as "id",
           m.memory_no as "memoryNo",
           r.content as "content",
           m.content_key as "contentKey",
           r.exact_length as "exactLength",
           r.stemmed_length as "stemmedLength"
    from memories as m
    join memory_revisions as r
      on r.scope_id = m.scope_id
      and r.memory_id = m.id
      and r.revision = m.revision
    where m.scope_id = ${scopeId}::bigint
      and m.memory_no > ${page.after}::bigint
      and m.deleted_at is null
    order by m.memory_no
    limit ${page.limit}::integer
  `);
}

/** The memories that lack one of these postings, or have it with another frequency or length. */
export async function lackingPostings(db: Runnable, scopeId: number, rows: readonly PostingRow[]): Promise<number[]> {
  const lacking = await db.run<{ memoryNo: number }>(sql`
    select distinct n.memory_no as "memoryNo"
    from unnest(
      ${rows.flatMap((row) => row.terms)}::bigint[],
      ${rows.flatMap((row) => row.terms.map(() => row.memoryNo))}::bigint[],
      ${rows.flatMap((row) => row.frequencies)}::integer[],
      ${rows.flatMap((row) => row.terms.map(() => row.length))}::integer[]) as n(term, memory_no, frequency, length)
    left join postings as p
      on p.scope_id = ${scopeId}::bigint
      and p.term = n.term
      and p.memory_no = n.memory_no
      and p.frequency = n.frequency
      and p.length = n.length
    where p.term is null
    order by n.memory_no
  `);
  return lacking.map((row) => row.memoryNo);
}

/**
 * Postings that stand for nothing, seen in one pass, since no index leads from a memory to its postings: the frequencies
 * of a memory add up to its lengths in the two lexeme sets, and to nothing where it is not live.
 */
export function surplusPostings(scope: Sql): Sql {
  return sql`
    select m.id, case
             when m.id is null then 'memory number ' || p.memory_no || ' has postings and is not live'
             else 'it has postings that its content has not'
           end
    from (
      select memory_no, sum(frequency) as lexemes, min(frequency) as least
      from postings
      where scope_id = ${scope}
      group by memory_no
    ) as p
    left join (
      select m.memory_no, m.id, r.exact_length + r.stemmed_length as lexemes
      from memories as m
      join memory_revisions as r
        on r.scope_id = m.scope_id
        and r.memory_id = m.id
        and r.revision = m.revision
      where m.scope_id = ${scope}
        and m.deleted_at is null
    ) as m
      on m.memory_no = p.memory_no
    where m.id is null
      or p.lexemes > m.lexemes
      or p.least < 1`;
}
