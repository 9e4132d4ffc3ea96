import type { Runnable } from "../database.js";
import { sql } from "../sql.js";

/** A live memory with its content and its stored postings, `term:frequency:length` each, in order. */
export interface IndexedMemory {
  readonly id: string;
  readonly memoryNo: number;
  readonly content: string;
  readonly postings: readonly string[];
}

/** The next live memories by number, for comparing their postings with what their content says. */
export async function readIndexedMemories(
  db: Runnable,
  scopeId: number,
  page: { readonly after: number; readonly limit: number },
): Promise<IndexedMemory[]> {
  return await db.run<IndexedMemory>(sql`
    with page as (
      select c.memory_no, c.memory_id, r.content
      from candidates as c
      join memory_revisions as r
        on r.scope_id = c.scope_id
        and r.memory_id = c.memory_id
        and r.revision = c.revision
      where c.scope_id = ${scopeId}::bigint
        and c.memory_no > ${page.after}::bigint
      order by c.memory_no
      limit ${page.limit}::integer
    )
    select page.memory_id as "id",
           page.memory_no as "memoryNo",
           page.content as "content",
           array(
             select p.term || ':' || p.frequency || ':' || p.length
             from postings as p
             where p.scope_id = ${scopeId}::bigint
               and p.memory_no = page.memory_no
             order by p.term
           ) as "postings"
    from page
    order by page.memory_no
  `);
}

/** Numbers of memories that have postings and are not live, at most 100. */
export async function findOrphanPostings(db: Runnable, scopeId: number): Promise<number[]> {
  const rows = await db.run<{ memoryNo: number }>(sql`
    select distinct p.memory_no as "memoryNo"
    from postings as p
    where p.scope_id = ${scopeId}::bigint
      and not exists (select from candidates as c where c.scope_id = p.scope_id and c.memory_no = p.memory_no)
    order by p.memory_no
    limit 100
  `);
  return rows.map((row) => row.memoryNo);
}
