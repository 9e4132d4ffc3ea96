import type { Runnable } from "../database.js";
import { sql } from "../sql.js";
import { SERVED } from "./served-space.js";

/** Identity of an embedding space; all of it tells one space from another. */
export interface SpaceIdentity {
  readonly provider: string;
  readonly model: string;
  readonly revision: string;
  readonly dimensions: number;
  readonly recipe: string;
}

export const SPACE_STATES = ["building", "served", "standby", "retired"] as const;
export type SpaceState = (typeof SPACE_STATES)[number];

/** What opens a space's embedder again, beside its identity; never a key. */
export interface SpaceOrigin {
  readonly baseUrl: string | null;
  /** Further settings of the embedder, as its opener wrote them down: plain JSON. */
  readonly settings: Readonly<Record<string, string | number | boolean>>;
}

export interface SpaceRow extends SpaceOrigin {
  readonly id: number;
  readonly identity: SpaceIdentity;
  readonly state: SpaceState;
  readonly createdAt: Date;
  /** When it was last made the served one; null for one that never was. */
  readonly activatedAt: Date | null;
}

const columns = sql`id as "id",
           json_build_object('provider', provider, 'model', model, 'revision', revision, 'dimensions', dimensions,
             'recipe', recipe) as "identity",
           state as "state",
           base_url as "baseUrl",
           settings as "settings",
           created_at as "createdAt",
           activated_at as "activatedAt"`;

/** Every space, in order of id. */
export async function readSpaces(db: Runnable): Promise<SpaceRow[]> {
  return await db.run<SpaceRow>(sql`
    select ${columns}
    from spaces
    order by id
  `);
}

/** Whether some space is served. */
export async function someSpaceIsServed(db: Runnable): Promise<boolean> {
  const [row] = await db.run<{ served: boolean }>(sql`select ${SERVED} is not null as "served"`);
  return row?.served === true;
}

/** Keeps every other change of a space's state out until the transaction ends; readers and writers go on. */
export async function lockSpaces(tx: Runnable): Promise<void> {
  await tx.run(sql`lock table spaces in share row exclusive mode`);
}

/** The space's id; a new one is `building`. What opens it again is that of the latest who asked. */
export async function ensureSpace(db: Runnable, space: SpaceIdentity, origin?: SpaceOrigin): Promise<number> {
  const settings = JSON.stringify(origin?.settings ?? {});
  const [row] = await db.run<{ id: number }>(sql`
    insert into spaces (provider, model, revision, dimensions, recipe, base_url, settings)
    values (${space.provider}::text, ${space.model}::text, ${space.revision}::text, ${space.dimensions}::integer,
            ${space.recipe}::text, ${origin?.baseUrl ?? null}::text, ${settings}::jsonb)
    on conflict on constraint spaces_identity do update
      set base_url = excluded.base_url,
          settings = excluded.settings
    returning id
  `);
  if (row === undefined) throw new Error("an embedding space was neither found nor made");
  return row.id;
}

/** Makes a space the served one, and the one that was served until now `standby`. The caller has locked the spaces. */
export async function serveSpace(tx: Runnable, id: number, at: Date): Promise<void> {
  await tx.run(sql`
    update spaces
    set state = 'standby'
    where state = 'served'
      and id <> ${id}::bigint
  `);
  await tx.run(sql`
    update spaces
    set state = 'served',
        activated_at = ${at}::timestamptz
    where id = ${id}::bigint
      and state <> 'served'
  `);
}

/** Moves a space that is not served to another state. */
export async function moveSpace(tx: Runnable, id: number, state: Exclude<SpaceState, "served">): Promise<void> {
  await tx.run(sql`
    update spaces
    set state = ${state}::text
    where id = ${id}::bigint
      and state <> 'served'
  `);
}
