import type { Runnable } from "../database.js";
import { sql, type Sql } from "../sql.js";

/** Which memories of a scope to erase, whether they are deleted or not. */
export type EraseChoice =
  /** `viewer`: the calling agent of a workspace, which has to see the memory as it stands or last stood. */
  | { readonly by: "memory"; readonly id: string; readonly viewer: string | null }
  /** Every memory that came from there by any of its revisions. */
  | { readonly by: "source_site"; readonly sourceSite: string; readonly author: string | null }
  | { readonly by: "session"; readonly sessionId: string; readonly author: string | null }
  | { readonly by: "scope"; readonly author: string | null };

/** A memory that is about to be erased; `live` where it is not deleted. */
export interface ErasableRow {
  readonly id: string;
  readonly memoryNo: number;
  readonly revision: number;
  readonly live: boolean;
}

/**
 * The memories that are chosen and not erased yet, in order of id; with `derived` also all that was ever derived from
 * them, at any distance and whatever became of it since.
 */
export async function findErasable(
  tx: Runnable,
  scopeId: number,
  wanted: { readonly choice: EraseChoice; readonly derived: boolean },
): Promise<ErasableRow[]> {
  return await tx.run<ErasableRow>(sql`
    with recursive chosen(id) as (
      ${chosen(scopeId, wanted.choice)}
    ),
    reached(id) as (
      select id
      from chosen
      union
      select e.memory_id
      from reached as s
      join memory_sources as e
        on e.scope_id = ${scopeId}::bigint
        and e.source_id = s.id
      where ${wanted.derived}::boolean
    )
    select m.id as "id",
           m.memory_no as "memoryNo",
           m.revision as "revision",
           m.deleted_at is null as "live"
    from memories as m
    where m.scope_id = ${scopeId}::bigint
      and m.id in (select id from reached)
      and m.erased_at is null
    order by m.id
  `);
}

function chosen(scopeId: number, choice: EraseChoice): Sql {
  switch (choice.by) {
    case "memory":
      return visibleMemory(scopeId, choice);
    case "source_site":
      return byRevision(scopeId, choice.author, sql`r.source_site = ${choice.sourceSite}::text`);
    case "session":
      return byRevision(scopeId, choice.author, sql`r.session_id = ${choice.sessionId}::text`);
    case "scope":
      return sql`select m.id
      from memories as m
      where m.scope_id = ${scopeId}::bigint
        and (${choice.author}::text is null or m.agent_id = ${choice.author}::text)`;
  }
}

function byRevision(scopeId: number, author: string | null, condition: Sql): Sql {
  return sql`select m.id
      from memories as m
      where m.scope_id = ${scopeId}::bigint
        and (${author}::text is null or m.agent_id = ${author}::text)
        and m.id in (
          select r.memory_id
          from memory_revisions as r
          where r.scope_id = ${scopeId}::bigint
            and ${condition})`;
}

/** Not by way of the candidates: a deleted memory has none. */
function visibleMemory(scopeId: number, { id, viewer }: EraseChoice & { readonly by: "memory" }): Sql {
  return sql`select m.id
      from memories as m
      cross join lateral (
        select r.visibility
        from memory_revisions as r
        where r.scope_id = m.scope_id
          and r.memory_id = m.id
        order by r.revision desc
        limit 1
      ) as last
      where m.scope_id = ${scopeId}::bigint
        and m.id = ${id}::uuid
        and (${viewer}::text is null
          or last.visibility = 'workspace'
          or m.agent_id = ${viewer}::text
          or (last.visibility = 'restricted' and exists (
            select from grants as g
            where g.scope_id = m.scope_id
              and g.memory_id = m.id
              and g.agent_id = ${viewer}::text)))`;
}
