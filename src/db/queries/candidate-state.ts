import type { View } from "../../core/scope.js";
import type { Runnable } from "../database.js";
import { sql } from "../sql.js";
import { candidateRows } from "./candidate-rows.js";
import { liveRecords } from "./current-records.js";

/** Whether a memory that is there and may be seen can be found at all, its time apart; undefined where there is none. */
export async function readCandidateState(
  db: Runnable,
  view: View,
  id: string,
): Promise<{ readonly eligible: boolean } | undefined> {
  const [state] = await db.run<{ readonly eligible: boolean }>(sql`
    select c.eligible
    from ${candidateRows(view, null)}
    where ${liveRecords(view)}
      and c.memory_id = ${id}::uuid
  `);
  return state;
}
