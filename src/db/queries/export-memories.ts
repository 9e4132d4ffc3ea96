import type { ExportedHead, ExportedRevision } from "../../core/exported.js";
import type { Runnable } from "../database.js";
import { sql, type Sql } from "../sql.js";
import { revisionColumns } from "./memory-rows.js";

/** Memories in one statement. */
const HEADS = 500;

/** Revisions in one statement: 100 KiB each at most. */
const REVISIONS = 100;

/** Every memory of a scope by id, erased ones included. */
export async function* exportHeads(tx: Runnable, scopeId: number): AsyncGenerator<ExportedHead> {
  for (let after: string | null = null; ;) {
    const page: ExportedHead[] = await readHeads(
      tx,
      scopeId,
      sql`(${after}::uuid is null or m.id > ${after}::uuid)
        order by m.id
        limit ${HEADS}::integer`,
    );
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < HEADS) return;
    after = last.id;
  }
}

/** Every revision of a scope by memory and number. */
export async function* exportRevisions(tx: Runnable, scopeId: number): AsyncGenerator<ExportedRevision> {
  for (let after: Pick<ExportedRevision, "id" | "revision"> | undefined; ;) {
    const beyond =
      after === undefined
        ? sql`true`
        : sql`(r.memory_id, r.revision) > (${after.id}::uuid, ${after.revision}::integer)`;
    const page: ExportedRevision[] = await readRevisions(
      tx,
      scopeId,
      sql`${beyond}
        order by r.memory_id, r.revision
        limit ${REVISIONS}::integer`,
    );
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < REVISIONS) return;
    after = last;
  }
}

/** The memories with these ids, in no order. */
export async function readExportedHeads(
  tx: Runnable,
  scopeId: number,
  ids: readonly string[],
): Promise<ExportedHead[]> {
  return await readHeads(tx, scopeId, sql`m.id = any(${ids}::uuid[])`);
}

/** All revisions of these memories, those of each in order. */
export async function readExportedRevisions(
  tx: Runnable,
  scopeId: number,
  ids: readonly string[],
): Promise<ExportedRevision[]> {
  return await readRevisions(
    tx,
    scopeId,
    sql`r.memory_id = any(${ids}::uuid[])
        order by r.memory_id, r.revision`,
  );
}

type HeadRow = Omit<ExportedHead, "grants"> & {
  readonly grants: readonly { readonly agentId: string; readonly grantedAt: string }[];
};

async function readHeads(tx: Runnable, scopeId: number, which: Sql): Promise<ExportedHead[]> {
  const rows = await tx.run<HeadRow>(sql`
    select m.id as "id",
           m.revision as "revision",
           m.agent_id as "agentId",
           m.created_at as "createdAt",
           m.updated_at as "updatedAt",
           m.deleted_at as "deletedAt",
           m.erased_at as "erasedAt",
           (
             select coalesce(jsonb_agg(
                      jsonb_build_object('id', e.source_id, 'contentRevision', e.source_content_revision)
                      order by e.source_id), '[]')
             from memory_sources as e
             where e.scope_id = m.scope_id
               and e.memory_id = m.id
           ) as "sources",
           (
             select coalesce(jsonb_agg(
                      jsonb_build_object('agentId', g.agent_id, 'grantedAt', g.granted_at)
                      order by g.agent_id collate "C"), '[]')
             from grants as g
             where g.scope_id = m.scope_id
               and g.memory_id = m.id
           ) as "grants"
    from memories as m
    where m.scope_id = ${scopeId}::bigint
      and ${which}
  `);
  return rows.map((row) => {
    const grants = row.grants.map(({ agentId, grantedAt }) => ({ agentId, grantedAt: new Date(grantedAt) }));
    return { ...row, grants };
  });
}

async function readRevisions(tx: Runnable, scopeId: number, which: Sql): Promise<ExportedRevision[]> {
  return await tx.run<ExportedRevision>(sql`
    select r.memory_id as "id",
           r.revision as "revision",
           r.content_revision as "contentRevision",
           ${revisionColumns},
           r.recorded_at as "recordedAt"
    from memory_revisions as r
    where r.scope_id = ${scopeId}::bigint
      and ${which}
  `);
}
