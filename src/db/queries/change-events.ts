import type { ChangeEvent } from "../../core/journal.js";
import type { Runnable } from "../database.js";
import { sql } from "../sql.js";

/** The events of a scope from `from` to `to`, both included, in order. */
export async function readEvents(
  db: Runnable,
  scopeId: number,
  range: { readonly from: number; readonly to: number },
): Promise<ChangeEvent[]> {
  return await db.run<ChangeEvent>(sql`
    select seq as "seq",
           kind as "kind",
           memory_id as "memoryId",
           revision as "revision",
           at as "at",
           digest as "digest"
    from change_events
    where scope_id = ${scopeId}::bigint
      and seq between ${range.from}::bigint and ${range.to}::bigint
    order by seq
  `);
}
