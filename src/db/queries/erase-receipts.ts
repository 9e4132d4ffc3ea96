import type { Runnable } from "../database.js";
import { sql, type Sql } from "../sql.js";

/** How many receipts {@link blankReceipts} would blank. */
export async function countReceipts(tx: Runnable, scopeId: number, ids: readonly string[]): Promise<number> {
  const counted = await tx.run<{ count: number }>(sql`
    select count(*) as "count"
    from receipts as r
    where r.scope_id = ${scopeId}::bigint
      and ${namesOneOf(ids)}
  `);
  return counted[0]?.count ?? 0;
}

/**
 * Takes the fingerprint from the receipts of commands that wrote one of these memories: it was made from the content, and
 * whoever holds the tenant's secret could try contents against it. What is left tells that the key was used.
 */
export async function blankReceipts(tx: Runnable, scopeId: number, ids: readonly string[]): Promise<number> {
  const blanked = await tx.run(sql`
    update receipts as r
    set fingerprint = ''
    where r.scope_id = ${scopeId}::bigint
      and ${namesOneOf(ids)}
    returning 1
  `);
  return blanked.length;
}

/** Results have the ids of memories at any depth, and no other text that could be one. */
function namesOneOf(ids: readonly string[]): Sql {
  return sql`r.fingerprint <> ''
      and exists (
        select
        from jsonb_path_query(r.result, 'strict $.** ? (@.type() == "string")') as named(value)
        where named.value #>> '{}' in (select n.id from unnest(${ids}::text[]) as n(id)))`;
}
