import type { Runnable } from "../database.js";
import { sql } from "../sql.js";
import type { ErasableRow } from "./erase-targets.js";

/** Rows of one place, with those of memories that go: `memories` and `receipts` are blanked, the others deleted. */
export const ERASED_PLACES = [
  "memories",
  "revisions",
  "bindings",
  "candidates",
  "tags",
  "grants",
  "edges",
  "postings",
  "pastPostings",
  "receipts",
] as const;

export type ErasedCounts = Readonly<Record<(typeof ERASED_PLACES)[number], number>>;

/** What hangs on a memory by its id or number and is found by an index. */
type RowCounts = Omit<ErasedCounts, "memories" | "postings" | "receipts">;

/** How many rows {@link eraseRows} would take with these memories. */
export async function countRows(tx: Runnable, scopeId: number, rows: readonly ErasableRow[]): Promise<RowCounts> {
  const { ids, numbers } = named(rows);
  const [counts] = await tx.run<RowCounts>(sql`
    select (
             select count(*)
             from memory_revisions
             where scope_id = ${scopeId}::bigint
               and memory_id = any(${ids}::uuid[])
           ) as "revisions",
           (
             select count(*)
             from spaces as s
             join bindings as b
               on b.scope_id = ${scopeId}::bigint
               and b.space_id = s.id
               and b.memory_id = any(${ids}::uuid[])
           ) as "bindings",
           (
             select count(*)
             from candidates
             where scope_id = ${scopeId}::bigint
               and memory_id = any(${ids}::uuid[])
           ) as "candidates",
           (
             select count(*)
             from candidate_tags
             where scope_id = ${scopeId}::bigint
               and memory_no = any(${numbers}::bigint[])
           ) as "tags",
           (
             select count(*)
             from grants
             where scope_id = ${scopeId}::bigint
               and memory_id = any(${ids}::uuid[])
           ) as "grants",
           (
             select count(*)
             from memory_sources
             where scope_id = ${scopeId}::bigint
               and memory_id = any(${ids}::uuid[])
           ) as "edges",
           (
             select count(*)
             from past_postings
             where scope_id = ${scopeId}::bigint
               and memory_id = any(${ids}::uuid[])
           ) as "pastPostings"
  `);
  return present(counts);
}

/**
 * Deletes what hangs on memories and blanks their own rows: what stays is the id, the number, the next revision and the
 * times. Edges of what was derived from them stay, with ids alone, so that it remains underivable.
 */
export async function eraseRows(
  tx: Runnable,
  scopeId: number,
  erasure: { readonly rows: readonly ErasableRow[]; readonly at: Date },
): Promise<RowCounts> {
  const { ids, numbers } = named(erasure.rows);
  const [counts] = await tx.run<RowCounts>(sql`
    with gone_revisions as (
      delete from memory_revisions
      where scope_id = ${scopeId}::bigint
        and memory_id = any(${ids}::uuid[])
      returning 1
    ),
    gone_bindings as (
      delete from bindings as b
      using spaces as s
      where b.scope_id = ${scopeId}::bigint
        and b.space_id = s.id
        and b.memory_id = any(${ids}::uuid[])
      returning 1
    ),
    gone_candidates as (
      delete from candidates
      where scope_id = ${scopeId}::bigint
        and memory_id = any(${ids}::uuid[])
      returning 1
    ),
    gone_tags as (
      delete from candidate_tags
      where scope_id = ${scopeId}::bigint
        and memory_no = any(${numbers}::bigint[])
      returning 1
    ),
    gone_grants as (
      delete from grants
      where scope_id = ${scopeId}::bigint
        and memory_id = any(${ids}::uuid[])
      returning 1
    ),
    gone_edges as (
      delete from memory_sources
      where scope_id = ${scopeId}::bigint
        and memory_id = any(${ids}::uuid[])
      returning 1
    ),
    gone_past_postings as (
      delete from past_postings
      where scope_id = ${scopeId}::bigint
        and memory_id = any(${ids}::uuid[])
      returning 1
    )
    ${goneCounts}
  `);
  await blankMemories(tx, scopeId, { ids, at: erasure.at });
  return present(counts);
}

const goneCounts = sql`select (select count(*) from gone_revisions) as "revisions",
           (select count(*) from gone_bindings) as "bindings",
           (select count(*) from gone_candidates) as "candidates",
           (select count(*) from gone_tags) as "tags",
           (select count(*) from gone_grants) as "grants",
           (select count(*) from gone_edges) as "edges",
           (select count(*) from gone_past_postings) as "pastPostings"`;

async function blankMemories(
  tx: Runnable,
  scopeId: number,
  what: { readonly ids: readonly string[]; readonly at: Date },
): Promise<void> {
  await tx.run(sql`
    update memories
    set revision = revision + 1,
        content_revision = 0,
        agent_id = null,
        external_id = null,
        content_key = null,
        review = 'none',
        sources_valid = true,
        effective_valid_until = null,
        depth = 0,
        updated_at = ${what.at}::timestamptz,
        deleted_at = coalesce(deleted_at, ${what.at}::timestamptz),
        erased_at = ${what.at}::timestamptz
    where scope_id = ${scopeId}::bigint
      and id = any(${what.ids}::uuid[])
  `);
}

/** How many postings {@link erasePostings} would delete. */
export async function countPostings(tx: Runnable, scopeId: number, rows: readonly ErasableRow[]): Promise<number> {
  const counted = await tx.run<{ count: number }>(sql`
    select count(*) as "count"
    from postings as p
    join unnest(${named(rows).numbers}::bigint[]) as n(memory_no)
      on n.memory_no = p.memory_no
    where p.scope_id = ${scopeId}::bigint
  `);
  return counted[0]?.count ?? 0;
}

/**
 * Deletes the postings of memories, whatever terms they have: one scan of the scope's postings. An index that finds them
 * by memory would be as large as the table; the terms could only be had from the contents, all of them read again.
 */
export async function erasePostings(tx: Runnable, scopeId: number, rows: readonly ErasableRow[]): Promise<number> {
  const counted = await tx.run<{ count: number }>(sql`
    with gone as (
      delete from postings as p
      using unnest(${named(rows).numbers}::bigint[]) as n(memory_no)
      where p.scope_id = ${scopeId}::bigint
        and p.memory_no = n.memory_no
      returning 1
    )
    select count(*) as "count"
    from gone
  `);
  return counted[0]?.count ?? 0;
}

function named(rows: readonly ErasableRow[]): { ids: string[]; numbers: number[] } {
  return { ids: rows.map((row) => row.id), numbers: rows.map((row) => row.memoryNo) };
}

function present<Row>(row: Row | undefined): Row {
  if (row === undefined) throw new Error("a count has no row");
  return row;
}
