import { openConfigured } from "../compose.js";
import { loadConfig } from "../config.js";
import { findHolder, lockDataDir } from "../db/data-dir-lock.js";
import { migrationStatus } from "../db/migrate.js";
import { createLogger } from "./logger.js";

/** `memgate status`: asks the server that runs here, and opens the database itself only where none does. */
export async function status(): Promise<void> {
  const config = loadConfig();
  const holder = config.DATABASE_URL === undefined ? findHolder(config.MEMGATE_DATA_DIR) : undefined;
  if (holder?.url != null) {
    const reply = await fetch(`${holder.url}/health/ready`);
    process.stdout.write(`${holder.url} (process ${String(holder.pid)}): ${await reply.text()}\n`);
    if (!reply.ok) process.exitCode = 1;
    return;
  }
  const lock = config.DATABASE_URL === undefined ? lockDataDir(config.MEMGATE_DATA_DIR) : undefined;
  const db = await openConfigured(config, createLogger(config));
  try {
    const { applied, pending } = await migrationStatus(db);
    process.stdout.write(
      `No server runs here. ${db.description}: ${String(applied.length)} migrations applied, ${String(pending.length)} pending.\n`,
    );
  } finally {
    await db.close();
    lock?.release();
  }
}
