import type { Runnable } from "../database.js";
import { sql } from "../sql.js";
import { SERVED } from "./served-space.js";

/** What {@link projectVectors} did. */
export interface Projected {
  /** The space that is served; null for none. */
  readonly servedSpaceId: number | null;
  /** How many candidates got its vector. */
  readonly vectors: number;
}

/**
 * Gives at most `limit` candidates that hold no vector of the served space the one that there is, oldest first; `ids`
 * names the only ones to look at. They are put in order first, so that no more vectors are looked up than are moved. Nothing that a caller sees changes: searches look such vectors up meanwhile.
 */
export async function projectVectors(
  tx: Runnable,
  scopeId: number,
  wanted: { readonly limit: number; readonly ids?: readonly string[] },
): Promise<Projected> {
  const named = wanted.ids === undefined ? sql`` : sql`and c.memory_id = any(${wanted.ids}::uuid[])`;
  const [row] = await tx.run<Projected>(sql`
    with lagging as materialized (
      select c.memory_no, b.space_id, b.embedding
      from (
        select c.memory_no, c.memory_id, c.content_revision
        from candidates as c
        where c.scope_id = ${scopeId}::bigint
          and c.space_id is distinct from ${SERVED}
          ${named}
        order by c.memory_no
        offset 0
      ) as c
      cross join lateral (
        select b.space_id, l2_normalize(b.embedding) as embedding
        from bindings as b
        where b.scope_id = ${scopeId}::bigint
          and b.space_id = ${SERVED}
          and b.memory_id = c.memory_id
          and b.content_revision = c.content_revision
        offset 0
      ) as b
      order by c.memory_no
      limit ${wanted.limit}::integer
    ),
    filled as (
      update candidates as c
      set space_id = lagging.space_id,
          embedding = lagging.embedding
      from lagging
      where c.scope_id = ${scopeId}::bigint
        and c.memory_no = lagging.memory_no
      returning 1
    )
    select ${SERVED} as "servedSpaceId",
           (select count(*) from filled) as "vectors"
  `);
  if (row === undefined) throw new Error("a statement without a condition returned no row");
  return row;
}
