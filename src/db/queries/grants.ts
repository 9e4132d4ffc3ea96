import type { Runnable } from "../database.js";
import { sql } from "../sql.js";

/** One agent that may see one restricted memory. */
export interface Grant {
  readonly memoryId: string;
  readonly agentId: string;
}

/** Resolves with true when the agent had no grant before. */
export async function insertGrant(
  tx: Runnable,
  scopeId: number,
  grant: Grant & { readonly at: Date },
): Promise<boolean> {
  const added = await tx.run(sql`
    insert into grants (scope_id, memory_id, agent_id, granted_at)
    values (${scopeId}::bigint, ${grant.memoryId}::uuid, ${grant.agentId}::text, ${grant.at}::timestamptz)
    on conflict do nothing
    returning memory_id
  `);
  return added.length > 0;
}

/** Resolves with true when there was such a grant. */
export async function deleteGrant(tx: Runnable, scopeId: number, grant: Grant): Promise<boolean> {
  const gone = await tx.run(sql`
    delete from grants
    where scope_id = ${scopeId}::bigint
      and memory_id = ${grant.memoryId}::uuid
      and agent_id = ${grant.agentId}::text
    returning memory_id
  `);
  return gone.length > 0;
}
