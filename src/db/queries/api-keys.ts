import type { Capability, Grants } from "../../core/access.js";
import type { Runnable } from "../database.js";
import { sql, type Sql } from "../sql.js";

/** A key as it is stored: everything but the key. */
export interface KeyRow {
  readonly id: string;
  readonly name: string;
  readonly capabilities: readonly Capability[];
  readonly grants: Grants;
  readonly createdAt: Date;
  readonly revokedAt: Date | null;
}

export type NewKeyRow = Omit<KeyRow, "revokedAt"> & { readonly tenantId: number; readonly hash: Uint8Array };

/** What a request needs to know about its key. */
export type KeyHolder = Pick<KeyRow, "id" | "capabilities" | "grants"> & { readonly tenantId: number };

/** A list that is null is left out; null as an element of a list stays. */
const grants = sql`
  jsonb_strip_nulls(
    jsonb_build_object('projects', projects, 'workspaces', workspaces, 'agents', agents, 'userIds', user_ids)
  ) as grants
`;

/** The live key with this hash: the one look-up of every request. */
export async function findKeyByHash(db: Runnable, hash: Uint8Array): Promise<KeyHolder | undefined> {
  const [row] = await db.run<KeyHolder>(sql`
    select id, tenant_id as "tenantId", capabilities, ${grants}
    from api_keys
    where key_hash = ${hash}::bytea
      and revoked_at is null
  `);
  return row;
}

export async function insertKey(db: Runnable, key: NewKeyRow): Promise<void> {
  await db.run(insertion(key, sql`true`));
}

/** Inserts the key unless any key was ever made here, revoked ones included; false when there was one. */
export async function insertFirstKey(tx: Runnable, key: NewKeyRow): Promise<boolean> {
  // Whoever starts at the same time waits here, and then sees the key.
  await tx.run(sql`select id from tenants where id = ${key.tenantId}::bigint for update`);
  const made = await tx.run(insertion(key, sql`not exists (select from api_keys)`));
  return made.length === 1;
}

function insertion(key: NewKeyRow, condition: Sql): Sql {
  const { projects, workspaces, agents, userIds } = key.grants;
  return sql`
    insert into api_keys
      (id, tenant_id, name, key_hash, capabilities, projects, workspaces, agents, user_ids, created_at)
    select ${key.id}::uuid, ${key.tenantId}::bigint, ${key.name}::text, ${key.hash}::bytea, ${key.capabilities}::text[],
           ${projects ?? null}::text[], ${workspaces ?? null}::text[], ${agents ?? null}::text[],
           ${userIds ?? null}::text[], ${key.createdAt}::timestamptz
    where ${condition}
    returning id
  `;
}

/** Every key of the tenant, revoked ones included, in the order in which they were made. */
export async function listKeys(db: Runnable, tenantId: number): Promise<KeyRow[]> {
  return await db.run<KeyRow>(sql`
    select id, name, capabilities, ${grants}, created_at as "createdAt", revoked_at as "revokedAt"
    from api_keys
    where tenant_id = ${tenantId}::bigint
    order by created_at, id
  `);
}

/** When the key was revoked: `at`, or earlier where it already was; undefined where the tenant has no such key. */
export async function revokeKey(
  db: Runnable,
  tenantId: number,
  key: { readonly id: string; readonly at: Date },
): Promise<Date | undefined> {
  const [row] = await db.run<{ revokedAt: Date }>(sql`
    update api_keys
    set revoked_at = coalesce(revoked_at, ${key.at}::timestamptz)
    where tenant_id = ${tenantId}::bigint
      and id = ${key.id}::uuid
    returning revoked_at as "revokedAt"
  `);
  return row?.revokedAt;
}
