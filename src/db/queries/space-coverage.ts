import type { Runnable } from "../database.js";
import { sql } from "../sql.js";

/** How far a space is filled. */
export interface Coverage {
  /** Live memories. */
  readonly memories: number;
  /** Those whose current content has a vector of the space. */
  readonly bound: number;
  readonly pending: number;
}

/** What a space has of one scope. */
export interface ScopeCoverage {
  readonly scopeId: number;
  readonly pending: number;
  /** The oldest that are pending, a few of them. */
  readonly ids: readonly string[];
}

/** Live memories of all scopes, and the scopes that are not known to have all of theirs in the space. */
export async function readReadiness(
  db: Runnable,
  spaceId: number,
): Promise<{ readonly memories: number; readonly openScopes: readonly number[] }> {
  const [row] = await db.run<{ memories: number; openScopes: number[] }>(sql`
    select coalesce(sum(live_memories), 0)::bigint as "memories",
           coalesce(
             json_agg(id order by id) filter (where live_memories > 0 and ${spaceId}::bigint <> all(ready_space_ids)),
             '[]'::json) as "openScopes"
    from scopes
  `);
  return row ?? { memories: 0, openScopes: [] };
}

/** Lets the owner's transaction see the rows of a scope: the policies bind an owner who is no superuser. */
export async function seeScope(tx: Runnable, scopeId: number): Promise<Runnable> {
  await tx.run(sql`select set_config('memgate.scope_id', ${String(scopeId)}::text, true)`);
  return tx;
}

/** What of a scope is pending in a space, with the first `named` ids. The scope is in sight. */
export async function pendingInScope(
  tx: Runnable,
  scopeId: number,
  wanted: { readonly spaceId: number; readonly named: number },
): Promise<ScopeCoverage> {
  const [row] = await tx.run<{ pending: number; ids: string[] }>(sql`
    with pending as materialized (
      select c.memory_no, c.memory_id
      from candidates as c
      where c.scope_id = ${scopeId}::bigint
        and not exists (
          select
          from bindings as b
          where b.scope_id = ${scopeId}::bigint
            and b.space_id = ${wanted.spaceId}::bigint
            and b.memory_id = c.memory_id
            and b.content_revision = c.content_revision
          offset 0)
    )
    select (select count(*) from pending) as "pending",
           array(
             select memory_id::text
             from pending
             order by memory_no
             limit ${wanted.named}::integer
           ) as "ids"
  `);
  return { scopeId, pending: row?.pending ?? 0, ids: row?.ids ?? [] };
}
