import type { Runnable } from "../database.js";
import { sql, VectorArrayParameter } from "../sql.js";
import { SERVED } from "./served-space.js";

/** One vector of one content revision. */
export interface BindingRow {
  readonly memoryId: string;
  readonly contentRevision: number;
  /** Float32Array of the space's dimensions. */
  readonly vector: Float32Array;
  readonly truncated: boolean;
}

/** A memory that got a vector, and the revision that it is at. */
export interface Bound {
  readonly id: string;
  readonly revision: number;
  /** Whether the vector is of the served space. */
  readonly served: boolean;
}

export interface Bindings {
  readonly spaceId: number;
  readonly at: Date;
  readonly rows: readonly BindingRow[];
}

/**
 * Adds vectors to live memories that are still at the content revision that was embedded; others and those that have
 * one already are left as they are, since a binding never changes. Resolves with those that got one, as they are now.
 */
export async function insertBindings(tx: Runnable, scopeId: number, bindings: Bindings): Promise<Bound[]> {
  if (bindings.rows.length === 0) return [];
  const { rows } = bindings;
  return await tx.run<Bound>(sql`
    with added as (
      insert into bindings (scope_id, space_id, memory_id, content_revision, embedding, truncated, created_at)
      select m.scope_id, ${bindings.spaceId}::bigint, m.id, m.content_revision, n.embedding, n.truncated,
             ${bindings.at}::timestamptz
      from unnest(
        ${rows.map((row) => row.memoryId)}::uuid[],
        ${rows.map((row) => row.contentRevision)}::integer[],
        ${new VectorArrayParameter(rows.map((row) => row.vector))}::vector[],
        ${rows.map((row) => row.truncated)}::boolean[]) as n(memory_id, content_revision, embedding, truncated)
      join memories as m
        on m.scope_id = ${scopeId}::bigint
        and m.id = n.memory_id
        and m.content_revision = n.content_revision
        and m.deleted_at is null
      on conflict do nothing
      returning memory_id
    )
    select m.id as "id",
           m.revision as "revision",
           ${bindings.spaceId}::bigint is not distinct from ${SERVED} as "served"
    from added
    join memories as m
      on m.scope_id = ${scopeId}::bigint
      and m.id = added.memory_id
    order by m.memory_no
  `);
}
