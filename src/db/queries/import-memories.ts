import type { Review } from "../../core/memory.js";
import type { Runnable } from "../database.js";
import { sql } from "../sql.js";

/** The own row of a memory to import. */
export interface ImportedHeadRow {
  readonly id: string;
  /** For a memory that is not there yet. */
  readonly memoryNo: number;
  readonly revision: number;
  readonly contentRevision: number;
  readonly agentId: string | null;
  readonly externalId: string | null;
  readonly contentKey: string | null;
  readonly review: Review;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly deletedAt: Date | null;
  readonly erasedAt: Date | null;
  /** Its own, while nothing is known of its sources. */
  readonly expiresAt: Date | null;
}

/** Inserts memories, or moves live ones on to a later revision. Resolves with the number of each. */
export async function storeHeads(
  tx: Runnable,
  scopeId: number,
  rows: readonly ImportedHeadRow[],
): Promise<Map<string, number>> {
  const stored = await tx.run<{ id: string; memoryNo: number }>(sql`
    insert into memories as m (scope_id, id, memory_no, revision, content_revision, agent_id, external_id, content_key,
      review, created_at, updated_at, deleted_at, erased_at, effective_valid_until)
    select ${scopeId}::bigint, n."id", n."memoryNo", n."revision", n."contentRevision", n."agentId", n."externalId",
           n."contentKey", n."review", n."createdAt", n."updatedAt", n."deletedAt", n."erasedAt", n."expiresAt"
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as n(
      "id" uuid, "memoryNo" bigint, "revision" integer, "contentRevision" integer, "agentId" text, "externalId" text,
      "contentKey" text, "review" text, "createdAt" timestamptz, "updatedAt" timestamptz, "deletedAt" timestamptz,
      "erasedAt" timestamptz, "expiresAt" timestamptz)
    on conflict (scope_id, id) do update
      set revision = excluded.revision,
          content_revision = excluded.content_revision,
          external_id = excluded.external_id,
          content_key = excluded.content_key,
          review = excluded.review,
          updated_at = excluded.updated_at,
          deleted_at = excluded.deleted_at
      where m.deleted_at is null
    returning m.id as "id", m.memory_no as "memoryNo"
  `);
  return new Map(stored.map((row) => [row.id, row.memoryNo]));
}

/** How memories stand that others are derived from; a missing one is not in the scope. */
export async function readContentRevisions(
  tx: Runnable,
  scopeId: number,
  ids: readonly string[],
): Promise<Map<string, { readonly contentRevision: number; readonly erased: boolean }>> {
  const rows = await tx.run<{ id: string; contentRevision: number; erased: boolean }>(sql`
    select id as "id",
           content_revision as "contentRevision",
           erased_at is not null as "erased"
    from memories
    where scope_id = ${scopeId}::bigint
      and id = any(${ids}::uuid[])
  `);
  return new Map(rows.map(({ id, ...row }) => [id, row]));
}

/** Live memories that have one of these external ids, of any author. */
export async function readExternalIds(
  tx: Runnable,
  scopeId: number,
  externalIds: readonly string[],
): Promise<{ id: string; agentId: string | null; externalId: string }[]> {
  return await tx.run(sql`
    select id as "id",
           agent_id as "agentId",
           external_id as "externalId"
    from memories
    where scope_id = ${scopeId}::bigint
      and external_id = any(${externalIds}::text[])
      and deleted_at is null
  `);
}

/** Those of these memories that have a source of this depth. */
export async function withSourceAtDepth(
  tx: Runnable,
  scopeId: number,
  wanted: { readonly ids: readonly string[]; readonly depth: number },
): Promise<string[]> {
  const rows = await tx.run<{ id: string }>(sql`
    select distinct e.memory_id as "id"
    from memory_sources as e
    join memories as s
      on s.scope_id = e.scope_id
      and s.id = e.source_id
    where e.scope_id = ${scopeId}::bigint
      and e.memory_id = any(${wanted.ids}::uuid[])
      and s.depth = ${wanted.depth}::smallint
  `);
  return rows.map((row) => row.id);
}

export async function setDepth(
  tx: Runnable,
  scopeId: number,
  what: { readonly ids: readonly string[]; readonly depth: number },
): Promise<void> {
  await tx.run(sql`
    update memories
    set depth = ${what.depth}::smallint
    where scope_id = ${scopeId}::bigint
      and id = any(${what.ids}::uuid[])
  `);
}

/** Makes the grants of these memories equal to the given ones. */
export async function replaceGrants(
  tx: Runnable,
  scopeId: number,
  what: {
    readonly ids: readonly string[];
    readonly grants: readonly { readonly memoryId: string; readonly agentId: string; readonly grantedAt: Date }[];
  },
): Promise<void> {
  await tx.run(sql`
    delete from grants
    where scope_id = ${scopeId}::bigint
      and memory_id = any(${what.ids}::uuid[])
  `);
  await tx.run(sql`
    insert into grants (scope_id, memory_id, agent_id, granted_at)
    select ${scopeId}::bigint, n."memoryId", n."agentId", n."grantedAt"
    from jsonb_to_recordset(${JSON.stringify(what.grants)}::jsonb) as n(
      "memoryId" uuid, "agentId" text, "grantedAt" timestamptz)
  `);
}
