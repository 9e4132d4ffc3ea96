import { sql, type Sql } from "./sql.js";

/** The settings of one transaction under row level security: the role that it binds, and the scope that may be seen. */
export function enterScope(scopeId: number, appRole: string): Sql {
  return sql`
    select set_config('role', ${appRole}, true),
           set_config('memgate.scope_id', ${String(scopeId)}, true)
  `;
}
