import type { Runnable } from "../database.js";
import { sql } from "../sql.js";

/** Identity of an embedding space; all of it tells one space from another. */
export interface SpaceIdentity {
  readonly provider: string;
  readonly model: string;
  readonly revision: string;
  readonly dimensions: number;
  readonly recipe: string;
}

/** The space's id, registered where it is new. */
export async function ensureSpace(db: Runnable, space: SpaceIdentity): Promise<number> {
  const [row] = await db.run<{ id: number }>(sql`
    insert into spaces (provider, model, revision, dimensions, recipe)
    values (${space.provider}::text, ${space.model}::text, ${space.revision}::text, ${space.dimensions}::integer, ${space.recipe}::text)
    on conflict on constraint spaces_identity do update
      set provider = excluded.provider
    returning id
  `);
  if (row === undefined) throw new Error("an embedding space was neither found nor made");
  return row.id;
}

/** Whether a space is registered. */
export async function spaceExists(db: Runnable, id: number): Promise<boolean> {
  const spaces = await db.run(sql`select id from spaces where id = ${id}::bigint`);
  return spaces.length > 0;
}
