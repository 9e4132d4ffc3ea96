import type { Database } from "./database.js";
import { sqlState } from "./sql-state.js";

const INSUFFICIENT_PRIVILEGE = "42501";

/**
 * Makes the role that scoped statements run as and gives it what they need; safe to repeat.
 * Row level security does not bind superusers, nor (unless forced) owners: whoever logs in, scoped work is done as this role.
 * Throws with the one line that an administrator has to run where the login may not create roles.
 */
export async function ensureAppRole(db: Database, role: string): Promise<void> {
  try {
    await db.script(grantsFor(role));
  } catch (error) {
    if (sqlState(error) !== INSUFFICIENT_PRIVILEGE) throw error;
    const help = `create role ${role} nologin; grant ${role} to <the login of DATABASE_URL>;`;
    throw new Error(`this database login may not create the role ${role}: let an administrator run "${help}"`, {
      cause: error,
    });
  }
}

/** `role` is checked by the configuration: lower-case letters, digits and underscores. */
function grantsFor(role: string): string {
  return `
    do $$
    begin
      if not exists (select from pg_roles where rolname = '${role}') then
        begin
          create role ${role} nologin;
        exception when duplicate_object or unique_violation then
          null;
        end;
      end if;
      if not pg_has_role(current_user, '${role}', 'member') then
        execute format('grant ${role} to %I', current_user);
      end if;
      execute format('grant usage on schema %I to ${role}', current_schema());
    end
    $$;
    grant select, update on scopes to ${role};
    grant select on tenants, spaces to ${role};
    grant select, insert, update, delete on
      memories, memory_revisions, bindings, candidates, candidate_tags, postings, change_events, receipts, grants,
      memory_sources, past_postings
      to ${role};
  `;
}
