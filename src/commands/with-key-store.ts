import { openConfigured, prepareSchema } from "../compose.js";
import type { Config } from "../config.js";
import { findHolder, lockDataDir } from "../db/data-dir-lock.js";
import type { Database } from "../db/database.js";
import { defaultTenant } from "../db/queries/tenants.js";
import { presentKey } from "../routes/schemas/keys.js";
import { createKeyServices, localCaller } from "../services/index.js";
import type { KeyStore } from "./key-store.js";
import { keysOfServer } from "./keys-of-server.js";
import { createLogger } from "./logger.js";

/** Runs `work` on the server that holds the embedded database here, or where none does on the configured database. */
export async function withKeyStore<T>(config: Config, work: (store: KeyStore) => Promise<T>): Promise<T> {
  const embedded = config.DATABASE_URL === undefined;
  const holder = embedded ? findHolder(config.MEMGATE_DATA_DIR) : undefined;
  if (holder?.url != null) return await work(keysOfServer(holder.url, config.MEMGATE_API_KEY));
  const lock = embedded ? lockDataDir(config.MEMGATE_DATA_DIR) : undefined;
  try {
    return await onDatabase(config, async (db) => await work(await keysOfDatabase(db)));
  } finally {
    lock?.release();
  }
}

async function onDatabase<T>(config: Config, work: (db: Database) => Promise<T>): Promise<T> {
  const db = await openConfigured(config, createLogger(config));
  try {
    await prepareSchema(config, db);
    return await work(db);
  } finally {
    await db.close();
  }
}

async function keysOfDatabase(db: Database): Promise<KeyStore> {
  const services = createKeyServices({ db, clock: () => new Date() });
  const caller = localCaller(await defaultTenant(db));
  return {
    create: async (draft) => {
      const created = await services.createKey(caller, draft);
      return { ...presentKey(created), key: created.key };
    },
    list: async () => ({ keys: (await services.listKeys(caller)).map(presentKey) }),
    revoke: async (id) => {
      const revoked = await services.revokeKey(caller, id);
      return { id: revoked.id, revoked_at: revoked.revokedAt.toISOString() };
    },
  };
}
