import type { Database } from "../../src/db/database.js";
import { sql, trustedSql } from "../../src/db/sql.js";

/** Where a text stands in a database: `memories.external_id: the needle`. */
export type Finding = string;

/**
 * Looks for texts in every column of every user table, each cast to text (bytes are hex there), in any case. The tests'
 * own user is a superuser, so that row level security hides nothing.
 */
export async function scanDatabase(db: Database, needles: readonly string[]): Promise<Finding[]> {
  const columns = await db.run<{ table: string; column: string }>(sql`
    select format('%I.%I', n.nspname, c.relname) as "table",
           quote_ident(a.attname) as "column"
    from pg_class as c
    join pg_namespace as n
      on n.oid = c.relnamespace
    join pg_attribute as a
      on a.attrelid = c.oid
      and a.attnum > 0
      and not a.attisdropped
    where c.relkind in ('r', 'p', 'm')
      and n.nspname not in ('pg_catalog', 'information_schema')
    order by 1, 2
  `);
  const found: Finding[] = [];
  for (const { table, column } of columns) {
    const rows = await db.run<{ needle: string }>(sql`
      select n.needle as "needle"
      from unnest(${needles}::text[]) as n(needle)
      where exists (
        select
        from ${trustedSql(table)} as t
        where strpos(lower(${trustedSql(`t.${column}`)}::text), lower(n.needle)) > 0)
    `);
    found.push(...rows.map(({ needle }) => `${table.replace("public.", "")}.${column}: ${needle}`));
  }
  return found;
}

/** The needles that the planner's statistics hold, of tables that have rows. */
export async function scanStatistics(db: Database, needles: readonly string[]): Promise<Finding[]> {
  const rows = await db.run<{ place: string }>(sql`
    select s.tablename || '.' || s.attname || ': ' || n.needle as "place"
    from pg_stats as s
    join unnest(${needles}::text[]) as n(needle)
      on strpos(concat(s.most_common_vals::text, s.histogram_bounds::text, s.most_common_elems::text), n.needle) > 0
    where s.schemaname = 'public'
    order by 1
  `);
  return rows.map((row) => row.place);
}
