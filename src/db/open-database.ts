import type { Database, DatabaseSettings } from "./database.js";
import { openEmbedded } from "./embedded-database.js";
import { openPostgres } from "./postgres-database.js";

/** Opens the database that the settings name; it may still have to be migrated. */
export async function openDatabase(settings: DatabaseSettings): Promise<Database> {
  switch (settings.kind) {
    case "postgres":
      return await openPostgres(settings);
    case "embedded":
    case "memory":
      return await openEmbedded(settings);
  }
}
