import type { View } from "../../core/scope.js";
import type { Runnable } from "../database.js";
import { sql } from "../sql.js";
import { currentRecords } from "./current-records.js";

/** A memory that another one may be derived from, as it stands. */
export interface SourceRow {
  readonly id: string;
  readonly contentRevision: number;
  readonly depth: number;
}

/** One edge: `memoryId` was derived from `source` as it stands. */
export interface SourceEdge {
  readonly memoryId: string;
  readonly source: SourceRow;
}

/** The current memories with these ids that the view allows, as sources, in no order. */
export async function findSources(tx: Runnable, view: View, ids: readonly string[]): Promise<SourceRow[]> {
  return await tx.run<SourceRow>(sql`
    select m.id as "id",
           m.content_revision as "contentRevision",
           m.depth as "depth"
    from candidates as c
    join memories as m
      on m.scope_id = c.scope_id
      and m.id = c.memory_id
    where ${currentRecords(view)}
      and c.memory_id = any(${ids}::uuid[])
  `);
}

/** What each of these memories was derived from, in order of id; one without sources is missing. */
export async function readSourceIds(
  tx: Runnable,
  scopeId: number,
  ids: readonly string[],
): Promise<Map<string, readonly string[]>> {
  const rows = await tx.run<{ id: string; sourceIds: string[] }>(sql`
    select memory_id as "id",
           array_agg(source_id::text order by source_id) as "sourceIds"
    from memory_sources
    where scope_id = ${scopeId}::bigint
      and memory_id = any(${ids}::uuid[])
    group by memory_id
  `);
  return new Map(rows.map((row) => [row.id, row.sourceIds]));
}

/** Ties new memories to the contents that they were derived from. */
export async function insertSources(tx: Runnable, scopeId: number, edges: readonly SourceEdge[]): Promise<void> {
  if (edges.length === 0) return;
  await tx.run(sql`
    insert into memory_sources (scope_id, memory_id, source_id, source_content_revision)
    select ${scopeId}::bigint, n.memory_id, n.source_id, n.source_content_revision
    from unnest(
      ${edges.map((edge) => edge.memoryId)}::uuid[],
      ${edges.map((edge) => edge.source.id)}::uuid[],
      ${edges.map((edge) => edge.source.contentRevision)}::integer[]) as n(memory_id, source_id, source_content_revision)
  `);
}
