import type { View } from "../../core/scope.js";
import type { Queryable } from "../database.js";
import { sql } from "../sql.js";
import { currentRecords } from "./current-records.js";
import { joinCurrentRevision } from "./memory-rows.js";
import type { HeadRow } from "./write-memories.js";

const headColumns = sql`m.id as "id",
         m.memory_no as "memoryNo",
         m.revision as "revision",
         m.content_revision as "contentRevision",
         m.agent_id as "agentId",
         m.external_id as "externalId",
         r.content as "content",
         m.created_at as "createdAt"`;

/** The current memories with these ids that the view allows, as a writer sees them under the scope's lock. */
export async function readHeads(tx: Queryable, view: View, ids: readonly string[]): Promise<HeadRow[]> {
  return await tx.run<HeadRow>(sql`
    select ${headColumns}
    from candidates as c
    ${joinCurrentRevision}
    where ${currentRecords(view)}
      and c.memory_id = any(${ids}::uuid[])
    order by m.id
  `);
}

/** Live memories of one author that have one of these external ids, expired ones included: the names are taken. */
export async function readByExternalId(
  tx: Queryable,
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
