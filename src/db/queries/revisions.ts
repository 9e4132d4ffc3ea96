import type { Runnable } from "../database.js";
import { sql } from "../sql.js";
import { memoryColumns, type MemoryRow } from "./memory-rows.js";

/** Names one immutable revision. */
export interface RevisionName {
  readonly id: string;
  readonly revision: number;
}

/** The named revisions as they were written: what a scorer found, whatever has been written since. */
export async function readRevisions(
  db: Runnable,
  scopeId: number,
  revisions: readonly RevisionName[],
): Promise<MemoryRow[]> {
  if (revisions.length === 0) return [];
  return await db.run<MemoryRow>(sql`
    select ${memoryColumns}
    from unnest(
      ${revisions.map((each) => each.id)}::uuid[],
      ${revisions.map((each) => each.revision)}::integer[]) as n(memory_id, revision)
    join memory_revisions as r
      on r.scope_id = ${scopeId}::bigint
      and r.memory_id = n.memory_id
      and r.revision = n.revision
    join memories as m
      on m.scope_id = r.scope_id
      and m.id = r.memory_id
  `);
}
