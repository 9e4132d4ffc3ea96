import { withMigrationDatabase } from "../compose.js";
import { loadConfig } from "../config.js";
import type { Database } from "../db/database.js";
import { migrate as bringUpToDate, previewMigrations } from "../db/migrate.js";
import { openDatabase } from "../db/open-database.js";
import { findServer, isUnmade, withDatabase } from "./command-database.js";

/** `memgate migrate`: brings the schema up to date, or with `dryRun` prints the SQL that would and writes nothing. */
export async function migrate(options: { readonly dryRun?: boolean }): Promise<void> {
  const config = loadConfig();
  const dryRun = options.dryRun === true;
  const server = findServer(config);
  if (server !== undefined) {
    // In a dry run the output is SQL, and so is this.
    process.stdout.write(
      `${dryRun ? "-- " : ""}The server at ${server.url} (process ${String(server.pid)}) has the database open and ` +
        `migrated it when it started. After an update of Memgate, restart it.\n`,
    );
  } else if (dryRun && isUnmade(config)) await previewNew();
  else {
    await withDatabase(config, async (db) => {
      await withMigrationDatabase(config, db, dryRun ? preview : apply);
    });
  }
}

/** Opening the embedded database makes its folder, which a dry run must not. */
async function previewNew(): Promise<void> {
  const db = await openDatabase({ kind: "memory" });
  try {
    await preview(db);
  } finally {
    await db.close();
  }
}

async function preview(db: Database): Promise<void> {
  process.stdout.write((await previewMigrations(db)) || "-- nothing is pending\n");
}

async function apply(db: Database): Promise<void> {
  const { applied } = await bringUpToDate(db);
  process.stdout.write(applied.length === 0 ? "The schema is up to date.\n" : `Applied ${applied.join(", ")}.\n`);
}
