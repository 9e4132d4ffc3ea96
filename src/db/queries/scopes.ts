import type { ScopeNames } from "../../core/scope.js";
import type { Runnable } from "../database.js";
import { sql } from "../sql.js";
import { SERVED } from "./served-space.js";

/** The scope's id; undefined while nothing was ever written there. */
export async function findScope(db: Runnable, tenantId: number, names: ScopeNames): Promise<number | undefined> {
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
export async function ensureScope(db: Runnable, tenantId: number, names: ScopeNames): Promise<number> {
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

export interface ScopeBacklog {
  readonly id: number;
  /** It may hold memories without a vector of the space. */
  readonly lacks: boolean;
  /** The space is served, and the scope may hold candidates without the vector that there is. */
  readonly lags: boolean;
}

/** The first scope beyond `after` that may have work in a space; not `lacking`, only one that lags. */
export async function scopeWithBacklog(
  db: Runnable,
  wanted: { readonly spaceId: number; readonly after: number; readonly lacking: boolean },
): Promise<ScopeBacklog | undefined> {
  const lacks = sql`${wanted.spaceId}::bigint <> all(ready_space_ids)`;
  const lags = sql`(projected_space_id is distinct from ${wanted.spaceId}::bigint
           and ${SERVED} is not distinct from ${wanted.spaceId}::bigint)`;
  const [row] = await db.run<ScopeBacklog>(sql`
    select id as "id",
           ${lacks} as "lacks",
           ${lags} as "lags"
    from scopes
    where id > ${wanted.after}::bigint
      and (${lags} or ${wanted.lacking}::boolean and ${lacks})
    order by id
    limit 1
  `);
  return row;
}

/** Says that every memory of the scope has a vector of the space. The caller holds the scope's lock. */
export async function markScopeReady(tx: Runnable, scopeId: number, spaceId: number): Promise<void> {
  await tx.run(sql`
    update scopes
    set ready_space_ids = array(
          select id
          from unnest(ready_space_ids || ${spaceId}::bigint) as ready(id)
          group by id
          order by id)
    where id = ${scopeId}::bigint
  `);
}

/** Says that the scope's candidates hold the vectors of a space that is or was served. The caller holds the scope's lock. */
export async function markScopeProjected(tx: Runnable, scopeId: number, spaceId: number): Promise<void> {
  await tx.run(sql`
    update scopes
    set projected_space_id = ${spaceId}::bigint
    where id = ${scopeId}::bigint
  `);
}

/** A scope with its names. */
export interface NamedScope {
  readonly id: number;
  readonly names: ScopeNames;
}

/** The scopes of a tenant in order of id: all of them, or those of one user in any project and mission. */
export async function scopesOfTenant(db: Runnable, tenantId: number, userId: string | null): Promise<NamedScope[]> {
  return await db.run<NamedScope>(sql`
    select id as "id",
           jsonb_build_object('project', project, 'mission', mission, 'userId', user_id, 'workspaceId', workspace_id)
             as "names"
    from scopes
    where tenant_id = ${tenantId}::bigint
      and (${userId}::text is null or user_id = ${userId}::text)
    order by id
  `);
}

/** The next scopes by id, for upkeep that goes through all of them. */
export async function scopesAfter(db: Runnable, id: number): Promise<number[]> {
  const rows = await db.run<{ id: number }>(sql`
    select id
    from scopes
    where id > ${id}::bigint
    order by id
    limit 500
  `);
  return rows.map((row) => row.id);
}

/** The tenant of a scope; undefined when the scope is gone. */
export async function findTenantOf(db: Runnable, scopeId: number): Promise<number | undefined> {
  const [row] = await db.run<{ tenantId: number }>(sql`
    select tenant_id as "tenantId"
    from scopes
    where id = ${scopeId}::bigint
  `);
  return row?.tenantId;
}
