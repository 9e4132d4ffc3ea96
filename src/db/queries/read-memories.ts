import type { Filters, View } from "../../core/scope.js";
import type { Runnable } from "../database.js";
import { sql } from "../sql.js";
import { currentRecords, matchingRecords, visibleTo } from "./current-records.js";
import { joinCurrentRevision, memoryColumns, type MemoryRow } from "./memory-rows.js";

/** The current memories with these ids that the view allows, in no order. */
export async function findMemories(db: Runnable, view: View, ids: readonly string[]): Promise<MemoryRow[]> {
  return await db.run<MemoryRow>(sql`
    select ${memoryColumns}
    from candidates as c
    ${joinCurrentRevision}
    where ${currentRecords(view)}
      and c.memory_id = any(${ids}::uuid[])
  `);
}

/** A place in a listing: the last row that was shown. */
export interface ListPosition {
  readonly createdAt: Date;
  readonly id: string;
}

export interface ListWanted {
  readonly filters: Filters;
  readonly after: ListPosition | undefined;
  readonly limit: number;
}

/** The next `limit` current memories, newest first (created_at desc, id desc). */
export async function listMemories(db: Runnable, view: View, wanted: ListWanted): Promise<MemoryRow[]> {
  const { after } = wanted;
  const beyond =
    after === undefined
      ? sql``
      : sql`and (c.created_at, c.memory_id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)`;
  return await db.run<MemoryRow>(sql`
    select ${memoryColumns}
    from candidates as c
    ${joinCurrentRevision}
    where ${matchingRecords(view, wanted.filters)}
      ${beyond}
    order by c.created_at desc, c.memory_id desc
    limit ${wanted.limit}::integer
  `);
}

/** Ids of at most `limit` current memories that match, oldest first. */
export async function matchingIds(
  db: Runnable,
  view: View,
  wanted: { readonly filters: Filters; readonly limit: number },
): Promise<string[]> {
  const rows = await db.run<{ id: string }>(sql`
    select c.memory_id as "id"
    from candidates as c
    where ${matchingRecords(view, wanted.filters)}
    order by c.created_at, c.memory_id
    limit ${wanted.limit}::integer
  `);
  return rows.map((row) => row.id);
}

/**
 * Every revision of one current memory that the view allows, newest first; empty when there is none.
 * A revision that was private when it was written stays so after the memory has been shared.
 */
export async function memoryHistory(db: Runnable, view: View, id: string): Promise<MemoryRow[]> {
  const visible = view.viewer === null ? sql`` : sql`and ${visibleTo(view.viewer, sql`r.visibility`)}`;
  return await db.run<MemoryRow>(sql`
    select ${memoryColumns}
    from candidates as c
    join memories as m
      on m.scope_id = c.scope_id
      and m.id = c.memory_id
    join memory_revisions as r
      on r.scope_id = c.scope_id
      and r.memory_id = c.memory_id
    where ${currentRecords(view)}
      and c.memory_id = ${id}::uuid
      ${visible}
    order by r.revision desc
  `);
}
