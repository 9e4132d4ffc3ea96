import type { ScopeNames } from "../../core/scope.js";
import type { Queryable } from "../database.js";
import { sql } from "../sql.js";

/** The scope's id; undefined while nothing was ever written there. */
export async function findScope(db: Queryable, tenantId: number, names: ScopeNames): Promise<number | undefined> {
  const [row] = await db.run<{ id: number }>(sql`
    select id
    from scopes
    where tenant_id = ${tenantId}::bigint
      and project is not distinct from ${names.project}::text
      and mission is not distinct from ${names.mission}::text
      and user_id is not distinct from ${names.userId}::text
      and workspace_id is not distinct from ${names.workspaceId}::text
  `);
  return row?.id;
}

/** The scope's id, made where it does not exist yet. */
export async function ensureScope(db: Queryable, tenantId: number, names: ScopeNames): Promise<number> {
  const [row] = await db.run<{ id: number }>(sql`
    insert into scopes (tenant_id, project, mission, user_id, workspace_id)
    values (${tenantId}::bigint, ${names.project}::text, ${names.mission}::text, ${names.userId}::text, ${names.workspaceId}::text)
    on conflict on constraint scopes_identity do update
      set tenant_id = excluded.tenant_id
    returning id
  `);
  if (row === undefined) throw new Error("a scope was neither found nor made");
  return row.id;
}

/** Locks the scope for writing until the transaction ends and takes `count` memory numbers; resolves with the first. */
export async function lockScope(tx: Queryable, scopeId: number, count: number): Promise<number> {
  const [row] = await tx.run<{ last: number }>(sql`
    update scopes
    set last_memory_no = last_memory_no + ${count}::bigint
    where id = ${scopeId}::bigint
    returning last_memory_no as "last"
  `);
  if (row === undefined) throw new Error(`scope ${String(scopeId)} is gone`);
  return row.last - count + 1;
}

/** Id of the tenant that works without keys. */
export async function defaultTenant(db: Queryable): Promise<number> {
  const [row] = await db.run<{ id: number }>(sql`select id from tenants where name = 'default'`);
  if (row === undefined) throw new Error("the tenant default is missing: the database is not migrated");
  return row.id;
}
