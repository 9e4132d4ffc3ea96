import { openConfigured } from "../compose.js";
import { loadConfig } from "../config.js";
import { lockDataDir } from "../db/data-dir-lock.js";
import type { Database } from "../db/database.js";
import { createLogger } from "./logger.js";

/**
 * Opens the configured database for one command and closes it afterwards.
 * Throws `DataDirLockedError` when a live server has the embedded one.
 */
export async function withOwnDatabase<T>(work: (db: Database) => Promise<T>): Promise<T> {
  const config = loadConfig();
  const lock = config.DATABASE_URL === undefined ? lockDataDir(config.MEMGATE_DATA_DIR) : undefined;
  try {
    const db = await openConfigured(config, createLogger(config));
    try {
      return await work(db);
    } finally {
      await db.close();
    }
  } finally {
    lock?.release();
  }
}
