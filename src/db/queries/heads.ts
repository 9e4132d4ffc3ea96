import type { EmbeddingStatus } from "../../core/memory.js";
import type { View } from "../../core/scope.js";
import type { Runnable } from "../database.js";
import { sql } from "../sql.js";
import { currentRecords, liveRecords } from "./current-records.js";
import { embeddingStatus, joinCurrentRevision } from "./memory-rows.js";
import type { HeadRow } from "./write-memories.js";

const headColumns = sql`m.id as "id",
         m.memory_no as "memoryNo",
         m.revision as "revision",
         m.content_revision as "contentRevision",
         m.agent_id as "agentId",
         m.external_id as "externalId",
         m.content_key as "contentKey",
         r.content as "content",
         r.expires_at as "expiresAt",
         m.review as "review",
         m.created_at as "createdAt"`;

/** The current memories with these ids that the view allows, as a writer sees them under the scope's lock. */
export async function readHeads(tx: Runnable, view: View, ids: readonly string[]): Promise<HeadRow[]> {
  return await tx.run<HeadRow>(sql`
    select ${headColumns}
    from candidates as c
    ${joinCurrentRevision}
    where ${currentRecords(view)}
      and c.memory_id = any(${ids}::uuid[])
    order by m.id
  `);
}

/**
 * Like {@link readHeads}, those that are not eligible included: rejected ones, and those whose sources are gone, changed,
 * rejected or expired. Whoever may see a memory can still review and delete it.
 */
export async function readUnexpiredHeads(tx: Runnable, view: View, ids: readonly string[]): Promise<HeadRow[]> {
  return await tx.run<HeadRow>(sql`
    select ${headColumns}
    from candidates as c
    ${joinCurrentRevision}
    where ${liveRecords(view)}
      and c.memory_id = any(${ids}::uuid[])
      and (r.expires_at is null or r.expires_at > ${view.now}::timestamptz)
    order by m.id
  `);
}

/** Live memories of one author that have one of these external ids, expired ones included: the names are taken. */
export async function readByExternalId(
  tx: Runnable,
  scopeId: number,
  named: { readonly agentId: string | null; readonly externalIds: readonly string[] },
): Promise<HeadRow[]> {
  if (named.externalIds.length === 0) return [];
  return await tx.run<HeadRow>(sql`
    select ${headColumns}
    from memories as m
    join memory_revisions as r
      on r.scope_id = m.scope_id
      and r.memory_id = m.id
      and r.revision = m.revision
    where m.scope_id = ${scopeId}::bigint
      and m.external_id = any(${named.externalIds}::text[])
      and m.agent_id is not distinct from ${named.agentId}::text
      and m.deleted_at is null
  `);
}

/** The oldest current memory of one author for each of these content keys, `replaced` ones left out. */
export async function readByContentKey(
  tx: Runnable,
  scopeId: number,
  wanted: {
    readonly agentId: string | null;
    readonly contentKeys: readonly string[];
    readonly replaced: readonly string[];
    readonly at: Date;
  },
): Promise<{ id: string; revision: number; contentKey: string }[]> {
  if (wanted.contentKeys.length === 0) return [];
  return await tx.run(sql`
    select distinct on (m.content_key) m.id as "id",
           m.revision as "revision",
           m.content_key as "contentKey"
    from memories as m
    join candidates as c
      on c.scope_id = m.scope_id
      and c.memory_no = m.memory_no
      and (c.valid_until is null or c.valid_until > ${wanted.at}::timestamptz)
      and c.eligible
    where m.scope_id = ${scopeId}::bigint
      and m.content_key = any(${wanted.contentKeys}::text[])
      and m.id <> all(${wanted.replaced}::uuid[])
      and m.agent_id is not distinct from ${wanted.agentId}::text
      and m.deleted_at is null
    order by m.content_key, m.memory_no
  `);
}

/** Whether the current content of each of these live memories has a vector of the served space. */
export async function readEmbeddingStatus(
  tx: Runnable,
  scopeId: number,
  ids: readonly string[],
): Promise<Map<string, EmbeddingStatus>> {
  const rows = await tx.run<{ id: string; status: EmbeddingStatus }>(sql`
    select m.id as "id",
           ${embeddingStatus} as "status"
    from memories as m
    where m.scope_id = ${scopeId}::bigint
      and m.id = any(${ids}::uuid[])
      and m.deleted_at is null
  `);
  return new Map(rows.map((row) => [row.id, row.status]));
}
