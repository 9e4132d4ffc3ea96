import type { Runnable } from "../database.js";
import { sql } from "../sql.js";

/** Id of the tenant that works without keys. */
export async function defaultTenant(db: Runnable): Promise<number> {
  const [row] = await db.run<{ id: number }>(sql`select id from tenants where name = 'default'`);
  if (row === undefined) throw new Error("the tenant default is missing: the database is not migrated");
  return row.id;
}

export async function tenantName(db: Runnable, tenantId: number): Promise<string> {
  const [row] = await db.run<{ name: string }>(sql`select name from tenants where id = ${tenantId}::bigint`);
  if (row === undefined) throw new Error(`tenant ${String(tenantId)} is gone`);
  return row.name;
}

/** The random key that a tenant's fingerprints are made with. */
export async function readTenantSecret(db: Runnable, tenantId: number): Promise<Uint8Array> {
  const [row] = await db.run<{ secret: string }>(sql`
    select encode(secret, 'hex') as "secret"
    from tenants
    where id = ${tenantId}::bigint
  `);
  if (row === undefined) throw new Error(`tenant ${String(tenantId)} is gone`);
  return Buffer.from(row.secret, "hex");
}
