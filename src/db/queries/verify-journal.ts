import type { ChangeEvent } from "../../core/journal.js";
import type { Runnable } from "../database.js";
import { sql } from "../sql.js";

/** The tenant of a scope; undefined when the scope is gone. */
export async function findTenantOf(db: Runnable, scopeId: number): Promise<number | undefined> {
  const [row] = await db.run<{ tenantId: number }>(sql`
    select tenant_id as "tenantId"
    from scopes
    where id = ${scopeId}::bigint
  `);
  return row?.tenantId;
}

/** The next events of a scope, whatever their numbers are and wherever the head says that the journal ends. */
export async function eventsAfter(
  tx: Runnable,
  scopeId: number,
  page: { readonly after: number; readonly limit: number },
): Promise<ChangeEvent[]> {
  return await tx.run<ChangeEvent>(sql`
    select seq as "seq",
           kind as "kind",
           memory_id as "memoryId",
           revision as "revision",
           at as "at",
           digest as "digest"
    from change_events
    where scope_id = ${scopeId}::bigint
      and seq > ${page.after}::bigint
    order by seq
    limit ${page.limit}::integer
  `);
}
