import type { Database } from "../../src/db/database.js";
import { joinSql, sql, trustedSql, type Sql } from "../../src/db/sql.js";

/** Every row of a scope: table → rows as JSON texts, in order. */
export type ScopeState = Readonly<Record<string, readonly string[]>>;

/** All that is stored of a scope, read around row level security: the tests' own user is a superuser. */
export async function readScopeState(db: Database, scopeId: number): Promise<ScopeState> {
  const state: Record<string, string[]> = {};
  for (const { name, row } of await db.run<{ name: string; row: string }>(await statementFor(db, scopeId))) {
    (state[name] ??= []).push(row);
  }
  return state;
}

/** How many rows a scope has in each table. */
export function countRows(state: ScopeState): Record<string, number> {
  return Object.fromEntries(Object.entries(state).map(([name, rows]) => [name, rows.length]));
}

const tables = new WeakMap<Database, Promise<string[]>>();

async function statementFor(db: Database, scopeId: number): Promise<Sql> {
  const known = tables.get(db) ?? scopedTables(db);
  tables.set(db, known);
  const selects = (await known).map((name) => {
    const column = name === "scopes" ? "id" : "scope_id";
    return sql`
      select ${name}::text as name, to_jsonb(t)::text as row
      from ${trustedSql(`${name} as t where ${column}`)} = ${scopeId}::bigint`;
  });
  return sql`${joinSql(selects, " union all ")} order by 1, 2`;
}

async function scopedTables(db: Database): Promise<string[]> {
  const rows = await db.run<{ name: string }>(sql`
    select c.table_name as "name"
    from information_schema.columns as c
    join information_schema.tables as t
      on t.table_schema = c.table_schema
      and t.table_name = c.table_name
      and t.table_type = 'BASE TABLE'
    where c.table_schema = 'public'
      and c.column_name = 'scope_id'
    order by c.table_name
  `);
  return ["scopes", ...rows.map((row) => row.name)];
}
