import { prepareSchema } from "../compose.js";
import { loadConfig } from "../config.js";
import { findHolder } from "../db/data-dir-lock.js";
import type { Database } from "../db/database.js";
import { defaultTenant } from "../db/queries/tenants.js";
import { presentKey } from "../routes/schemas/keys.js";
import { createKeyServices, localCaller } from "../services/index.js";
import type { KeyStore } from "./key-store.js";
import { keysOfServer } from "./keys-of-server.js";
import { withOwnDatabase } from "./own-database.js";

/** Runs `work` on the server that holds the embedded database here, or where none does on the configured database. */
export async function withKeyStore<T>(work: (store: KeyStore) => Promise<T>): Promise<T> {
  const config = loadConfig();
  const holder = config.DATABASE_URL === undefined ? findHolder(config.MEMGATE_DATA_DIR) : undefined;
  if (holder?.url != null) return await work(keysOfServer(holder.url, config.MEMGATE_API_KEY));
  return await withOwnDatabase(async (db) => {
    await prepareSchema(config, db);
    return await work(await keysOfDatabase(db));
  });
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
