import { existsSync } from "node:fs";
import path from "node:path";
import { openConfigured } from "../compose.js";
import type { Config } from "../config.js";
import { findHolder, lockDataDir, type LockHolder } from "../db/data-dir-lock.js";
import type { Database } from "../db/database.js";
import { createLogger } from "./logger.js";

/** A server that has the embedded database open, and so has to be asked instead. */
export type RunningServer = LockHolder & { readonly url: string };

export function findServer(config: Config): RunningServer | undefined {
  const holder = config.DATABASE_URL === undefined ? findHolder(config.MEMGATE_DATA_DIR) : undefined;
  return holder?.url == null ? undefined : { ...holder, url: holder.url };
}

/** Whether opening the database would first have to make it. */
export function isUnmade(config: Config): boolean {
  return config.DATABASE_URL === undefined && !existsSync(path.join(config.MEMGATE_DATA_DIR, "postgres"));
}

/** Opens the configured database for one command, which holds the folder of an embedded one meanwhile. */
export async function withDatabase(config: Config, work: (db: Database) => Promise<void>): Promise<void> {
  const lock = config.DATABASE_URL === undefined ? lockDataDir(config.MEMGATE_DATA_DIR) : undefined;
  try {
    const db = await openConfigured(config, createLogger(config));
    try {
      await work(db);
    } finally {
      await db.close();
    }
  } finally {
    lock?.release();
  }
}
