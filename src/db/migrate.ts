import { setTimeout as sleep } from "node:timers/promises";
import { APP_ROLE_DEFAULT } from "../core/app-role.js";
import { ensureAppRole } from "./app-role.js";
import type { Database, Queryable } from "./database.js";
import { sqlState } from "./sql-state.js";
import { readMigrations, type Migration } from "./migration-files.js";
import { sql } from "./sql.js";

/** How often to look whether another process is done with its file. */
const LEASE_POLL_MS = 500;

const CREATED_BY_ANOTHER = new Set(["23505", "42P07", "42710"]);

export interface MigrateOptions {
  /** Other files than Memgate's own; these make no tables that the role below could be given. */
  readonly migrations?: readonly Migration[];
  /** Role that scoped statements run as. */
  readonly appRole?: string;
}

export interface MigrationStatus {
  readonly applied: readonly string[];
  readonly pending: readonly Migration[];
}

/**
 * Brings the schema up to date; safe when several processes start at once.
 * Transactional files run with their bookkeeping in one transaction under a row lock, so either all of them hold or none;
 * a file that cannot run in a transaction runs alone under a lease.
 * Throws when an applied file has changed, or when the database is newer than this program.
 */
export async function migrate(db: Database, options: MigrateOptions = {}): Promise<MigrationStatus> {
  const migrations = options.migrations ?? (await readMigrations());
  const ran: string[] = [];
  await ensureBookkeeping(db);
  for (;;) {
    const [next] = (await migrationStatus(db, migrations)).pending;
    if (next === undefined) break;
    ran.push(...(next.transactional ? await runTransactional(db, migrations) : await runAlone(db, migrations, next)));
  }
  if (options.migrations === undefined) await ensureAppRole(db, options.appRole ?? APP_ROLE_DEFAULT);
  return { applied: ran, pending: [] };
}

/** What is applied and what is not; writes nothing. */
export async function migrationStatus(db: Queryable, known?: readonly Migration[]): Promise<MigrationStatus> {
  const migrations = known ?? (await readMigrations());
  const applied = await readApplied(db);
  for (const row of applied) {
    const file = migrations.find((each) => each.number === row.number);
    if (file === undefined) throw new Error(`the database has migration ${row.name}, which is newer than this Memgate`);
    if (file.checksum !== row.checksum) throw new Error(`migration ${row.name} was changed after it had been applied`);
  }
  const done = new Set(applied.map((row) => row.number));
  return { applied: applied.map((row) => row.name), pending: migrations.filter((each) => !done.has(each.number)) };
}

/** The SQL that `migrate` would run, for reading. Throws where a pending file is not transactional: nothing can undo it. */
export async function previewMigrations(db: Queryable, known?: readonly Migration[]): Promise<string> {
  const { pending } = await migrationStatus(db, known);
  const alone = pending.find((each) => !each.transactional);
  if (alone !== undefined) throw new Error(`${alone.name} does not run in a transaction and cannot be previewed`);
  return pending.map((each) => `-- ${each.name}\n${each.text}`).join("\n");
}

interface AppliedRow {
  readonly number: number;
  readonly name: string;
  readonly checksum: string;
}

async function readApplied(db: Queryable): Promise<AppliedRow[]> {
  const [table] = await db.run<{ exists: boolean }>(
    sql`select to_regclass('schema_migrations') is not null as "exists"`,
  );
  if (table?.exists !== true) return [];
  return await db.run<AppliedRow>(
    sql`select number as "number", name, checksum from schema_migrations order by number`,
  );
}

const BOOKKEEPING = `
  create table if not exists schema_migrations (
    number integer primary key,
    name text not null,
    checksum text not null,
    applied_at timestamptz(3) not null default now()
  );
  create table if not exists migration_lock (
    id integer primary key check (id = 1),
    lease_until timestamptz(3)
  );
  insert into migration_lock (id) values (1) on conflict do nothing;
`;

async function ensureBookkeeping(db: Database): Promise<void> {
  const [found] = await db.run<{ exists: boolean }>(sql`select to_regclass('migration_lock') is not null as "exists"`);
  if (found?.exists === true) return;
  try {
    await db.transaction(async (tx) => {
      await tx.script(BOOKKEEPING);
    });
  } catch (error) {
    // Of two processes at once the second may still collide in the catalog, "if not exists" or not; the first made it.
    if (!CREATED_BY_ANOTHER.has(sqlState(error) ?? "")) throw error;
  }
}

async function runTransactional(db: Database, migrations: readonly Migration[]): Promise<string[]> {
  return await db.transaction(async (tx) => {
    await tx.run(sql`select id from migration_lock where id = 1 for update`);
    const { pending } = await migrationStatus(tx, migrations);
    const firstAlone = pending.findIndex((each) => !each.transactional);
    const batch = firstAlone === -1 ? pending : pending.slice(0, firstAlone);
    for (const migration of batch) {
      await tx.script(migration.text);
      await record(tx, migration);
    }
    return batch.map((each) => each.name);
  });
}

/** Runs one file under the lease; nothing where another process has the lease, or had it and ran the file. */
async function runAlone(db: Database, migrations: readonly Migration[], next: Migration): Promise<string[]> {
  if (!(await takeLease(db))) {
    await sleep(LEASE_POLL_MS);
    return [];
  }
  try {
    const { pending } = await migrationStatus(db, migrations);
    if (pending[0]?.number !== next.number) return [];
    await db.script(next.text);
    await record(db, next);
    return [next.name];
  } finally {
    await db.run(sql`update migration_lock set lease_until = null where id = 1`);
  }
}

async function takeLease(db: Database): Promise<boolean> {
  const leases = await db.run(sql`
    update migration_lock
    set lease_until = now() + interval '1 hour'
    where id = 1
      and (lease_until is null or lease_until < now())
    returning id
  `);
  return leases.length > 0;
}

async function record(db: Queryable, migration: Migration): Promise<void> {
  await db.run(sql`
    insert into schema_migrations (number, name, checksum)
    values (${migration.number}::integer, ${migration.name}, ${migration.checksum})
  `);
}
