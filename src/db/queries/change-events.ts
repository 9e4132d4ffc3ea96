import type { ChangeEvent } from "../../core/journal.js";
import type { Runnable } from "../database.js";
import { sql, type Sql } from "../sql.js";

/** The events of a scope from `from` to `to`, both included, in order. */
export async function readEvents(
  db: Runnable,
  scopeId: number,
  range: { readonly from: number; readonly to: number },
): Promise<ChangeEvent[]> {
  return await events(
    db,
    scopeId,
    sql`and seq between ${range.from}::bigint and ${range.to}::bigint
    order by seq`,
  );
}

/** The next events of a scope, whatever their numbers are and wherever the head says that the journal ends. */
export async function eventsAfter(
  db: Runnable,
  scopeId: number,
  page: { readonly after: number; readonly limit: number },
): Promise<ChangeEvent[]> {
  return await events(
    db,
    scopeId,
    sql`and seq > ${page.after}::bigint
    order by seq
    limit ${page.limit}::integer`,
  );
}

async function events(db: Runnable, scopeId: number, which: Sql): Promise<ChangeEvent[]> {
  return await db.run<ChangeEvent>(sql`
    select seq as "seq",
           kind as "kind",
           memory_id as "memoryId",
           revision as "revision",
           at as "at",
           digest as "digest"
    from change_events
    where scope_id = ${scopeId}::bigint
      ${which}
  `);
}
