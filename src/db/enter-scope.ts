import type { Queryable, SpanningTransaction } from "./database.js";
import { sql, type Sql } from "./sql.js";

/** What makes a transaction read one state of the database throughout; its first statement, or it comes too late. */
export const READ_ONE_STATE = "set transaction isolation level repeatable read, read only";

/** The settings of one transaction under row level security: the role that it binds, and the scope that may be seen. */
export function enterScope(scopeId: number, appRole: string): Sql {
  return settings(String(scopeId), appRole);
}

/** Makes a transaction one that goes from scope to scope, with none in sight so far. */
export async function spanScopes(tx: Queryable, appRole: string): Promise<SpanningTransaction> {
  await tx.run(settings("", appRole));
  return {
    run: async (statement) => await tx.run(statement),
    script: async (text) => {
      await tx.script(text);
    },
    enter: async (scopeId) => {
      await tx.run(enterScope(scopeId, appRole));
    },
  };
}

/**
 * JIT is on by default on a server that was built with LLVM: the scorer's estimate passes its threshold at some 27,000
 * memories, and statements of milliseconds do not repay compiling.
 */
function settings(scope: string, appRole: string): Sql {
  return sql`
    select set_config('role', ${appRole}, true),
           set_config('memgate.scope_id', ${scope}, true),
           set_config('jit', 'off', true)
  `;
}
