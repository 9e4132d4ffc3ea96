import type { Runnable } from "../database.js";
import { sql, type Sql } from "../sql.js";

/** A content that a memory no longer has: superseded, or that of a deleted one. */
export interface EndedContent {
  readonly id: string;
  readonly contentRevision: number;
  readonly content: string;
}

/** Where a page of {@link readEndedContents} ended. */
export type EndedPosition = Pick<EndedContent, "id" | "contentRevision">;

/** The next ended contents by memory and content revision. */
export async function readEndedContents(
  db: Runnable,
  scopeId: number,
  page: { readonly after: EndedPosition | undefined; readonly limit: number },
): Promise<EndedContent[]> {
  const { after } = page;
  const beyond =
    after === undefined
      ? sql``
      : sql`and r.memory_id >= ${after.id}::uuid
      and (r.memory_id, r.content_revision) > (${after.id}::uuid, ${after.contentRevision}::integer)`;
  return await db.run<EndedContent>(sql`
    select distinct on (r.memory_id, r.content_revision)
           r.memory_id as "id",
           r.content_revision as "contentRevision",
           r.content as "content"
    from memory_revisions as r
    join memories as m
      on m.scope_id = r.scope_id
      and m.id = r.memory_id
      and (m.deleted_at is not null or m.content_revision <> r.content_revision)
    where r.scope_id = ${scopeId}::bigint
      ${beyond}
    order by r.memory_id, r.content_revision, r.revision
    limit ${page.limit}::integer
  `);
}

/** Words that are kept for reading the past and are of no content that is over. */
export function surplusPastPostings(scope: Sql): Sql {
  return sql`
    select p.memory_id, 'it has past postings of content revision ' || p.content_revision || ', which is not over'
    from past_postings as p
    where p.scope_id = ${scope}
      and not exists (
        select
        from memory_revisions as r
        join memories as m
          on m.scope_id = r.scope_id
          and m.id = r.memory_id
          and (m.deleted_at is not null or m.content_revision <> r.content_revision)
        where r.scope_id = ${scope}
          and r.memory_id = p.memory_id
          and r.content_revision = p.content_revision)`;
}
