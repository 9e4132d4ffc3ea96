import type { Runnable } from "../database.js";
import { sql } from "../sql.js";

/** A live memory whose content has no vector in a space. */
export interface PendingRow {
  readonly id: string;
  readonly revision: number;
  readonly contentRevision: number;
  readonly content: string;
}

/**
 * At most `limit` memories of the scope that wait for a vector of the space, oldest first. They are put in order before
 * anything is looked up for them, so that nothing is for those beyond the limit.
 */
export async function pendingMemories(
  db: Runnable,
  scopeId: number,
  wanted: { readonly spaceId: number; readonly limit: number },
): Promise<PendingRow[]> {
  return await db.run<PendingRow>(sql`
    select c.memory_id as "id",
           c.revision as "revision",
           c.content_revision as "contentRevision",
           r.content as "content"
    from (
      select c.memory_no, c.memory_id, c.revision, c.content_revision
      from candidates as c
      where c.scope_id = ${scopeId}::bigint
        and c.space_id is distinct from ${wanted.spaceId}::bigint
      order by c.memory_no
      offset 0
    ) as c
    cross join lateral (
      select r.content
      from memory_revisions as r
      where r.scope_id = ${scopeId}::bigint
        and r.memory_id = c.memory_id
        and r.revision = c.revision
      offset 0
    ) as r
    where not exists (
        select
        from bindings as b
        where b.scope_id = ${scopeId}::bigint
          and b.space_id = ${wanted.spaceId}::bigint
          and b.memory_id = c.memory_id
          and b.content_revision = c.content_revision
        offset 0)
    order by c.memory_no
    limit ${wanted.limit}::integer
  `);
}
