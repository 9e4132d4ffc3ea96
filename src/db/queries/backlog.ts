import type { Queryable } from "../database.js";
import { sql } from "../sql.js";

/** A live memory whose content has no vector in the served space. */
export interface PendingRow {
  readonly scopeId: number;
  readonly id: string;
  readonly contentRevision: number;
  readonly content: string;
}

/**
 * At most `limit` memories of any scope that wait for a vector, by scope and age.
 * The three ranges are what "not the served space" is to an index: without them the query reads every candidate.
 */
export async function pendingMemories(db: Queryable, spaceId: number, limit: number): Promise<PendingRow[]> {
  return await db.run<PendingRow>(sql`
    select c.scope_id as "scopeId",
           c.memory_id as "id",
           c.content_revision as "contentRevision",
           r.content as "content"
    from (
      (select * from candidates where space_id is null order by scope_id, memory_no limit ${limit}::integer)
      union all
      (select * from candidates where space_id < ${spaceId}::bigint order by space_id, scope_id, memory_no limit ${limit}::integer)
      union all
      (select * from candidates where space_id > ${spaceId}::bigint order by space_id, scope_id, memory_no limit ${limit}::integer)
    ) as c
    join memory_revisions as r
      on r.scope_id = c.scope_id
      and r.memory_id = c.memory_id
      and r.revision = c.revision
    order by c.scope_id, c.memory_no
    limit ${limit}::integer
  `);
}
