import { openConfigured, withMigrationDatabase } from "../compose.js";
import { loadConfig } from "../config.js";
import { findHolder, lockDataDir } from "../db/data-dir-lock.js";
import type { Database } from "../db/database.js";
import { migrate as bringUpToDate, previewMigrations } from "../db/migrate.js";
import { createLogger } from "./logger.js";

/** `memgate migrate`: brings the schema up to date, or with `dryRun` prints the SQL that would and writes nothing. */
export async function migrate(options: { readonly dryRun?: boolean }): Promise<void> {
  const config = loadConfig();
  const holder = config.DATABASE_URL === undefined ? findHolder(config.MEMGATE_DATA_DIR) : undefined;
  if (holder !== undefined) {
    process.stdout.write(
      `The running server (process ${String(holder.pid)}) has the database and migrated it when it started.\n`,
    );
    return;
  }
  const lock = config.DATABASE_URL === undefined ? lockDataDir(config.MEMGATE_DATA_DIR) : undefined;
  const db = await openConfigured(config, createLogger(config));
  try {
    await withMigrationDatabase(config, db, options.dryRun === true ? preview : apply);
  } finally {
    await db.close();
    lock?.release();
  }
}

async function preview(db: Database): Promise<void> {
  process.stdout.write((await previewMigrations(db)) || "-- nothing is pending\n");
}

async function apply(db: Database): Promise<void> {
  const { applied } = await bringUpToDate(db);
  process.stdout.write(applied.length === 0 ? "The schema is up to date.\n" : `Applied ${applied.join(", ")}.\n`);
}
