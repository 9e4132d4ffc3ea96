import { loadConfig } from "../config.js";
import { migrationStatus } from "../db/migrate.js";
import { findServer, isUnmade, withDatabase, type RunningServer } from "./command-database.js";

/** How long the server may take to answer, in ms. */
const ANSWER_MS = 10_000;

/** `memgate status`: asks the server that has the database open, and opens it itself only where none has. */
export async function status(): Promise<void> {
  const config = loadConfig();
  const embedded = config.DATABASE_URL === undefined;
  const server = findServer(config);
  if (server !== undefined) await ask(server);
  else if (isUnmade(config)) {
    process.stdout.write(
      `No server runs here, and ${config.MEMGATE_DATA_DIR} has no database yet: the first start makes it.\n`,
    );
  } else {
    await withDatabase(config, async (db) => {
      const { applied, pending } = await migrationStatus(db);
      process.stdout.write(
        `${embedded ? "No server runs here. " : ""}${db.description}: ` +
          `${String(applied.length)} migrations applied, ${String(pending.length)} pending.\n`,
      );
    });
  }
}

async function ask({ url, pid }: RunningServer): Promise<void> {
  const name = `${url} (process ${String(pid)})`;
  const reply = await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(ANSWER_MS) }).catch(
    (error: unknown) => {
      throw new Error(`${name} has the database open and does not answer`, { cause: error });
    },
  );
  process.stdout.write(`${name}: ${await reply.text()}\n`);
  if (!reply.ok) process.exitCode = 1;
}
