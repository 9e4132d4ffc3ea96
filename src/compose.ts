import path from "node:path";
import type { Logger } from "pino";
import type { Config } from "./config.js";
import { loadTokenCounter } from "./core/count-tokens.js";
import { PROFILES } from "./core/profiles.js";
import { lockDataDir, type DataDirLock } from "./db/data-dir-lock.js";
import type { Database } from "./db/database.js";
import { migrate, migrationStatus } from "./db/migrate.js";
import { openDatabase } from "./db/open-database.js";
import { pgvectorAdvice } from "./db/server-facts.js";
import { defaultTenant } from "./db/queries/tenants.js";
import { configuredRequest, embedderOpener } from "./embedder-opener.js";
import type { Embedder } from "./embeddings/embedder.js";
import { startDroppingReceipts } from "./jobs/drop-receipts.js";
import { startEmbedBacklog } from "./jobs/embed-backlog.js";
import {
  createServices,
  localCaller,
  registerSpace,
  SpaceRegistry,
  type Caller,
  type OpenEmbedder,
  type RegisteredSpace,
  type Services,
} from "./services/index.js";

const DAY_MS = 86_400_000;

/** What a test may bring itself; whoever brings it closes it. */
export interface Overrides {
  readonly db?: Database;
  readonly embedder?: Embedder;
  /** Embedders of other spaces, taken where a space names their provider and model. */
  readonly otherEmbedders?: readonly Embedder[];
  readonly clock?: () => Date;
}

/** A running system without its HTTP edge. */
export interface Composition {
  readonly services: Services;
  readonly db: Database;
  /** The configured embedder. */
  readonly embedder: Embedder;
  /** The space of the configured embedder, and the one that is served. */
  readonly spaces: RegisteredSpace;
  /** Who acts where no key is asked for. */
  readonly localCaller: Caller;
  /** Set when this process holds the embedded database's folder. */
  readonly lock: DataDirLock | undefined;
  /** Ends the background work, then closes what was opened here. */
  close(): Promise<void>;
}

/** Builds everything from the settings. Rejects, with nothing left open, when the database or the embedder cannot be had. */
export async function compose(config: Config, log: Logger, overrides: Overrides = {}): Promise<Composition> {
  const opened: (() => Promise<void> | void)[] = [];
  const closeAll = async (): Promise<void> => {
    for (const close of opened.splice(0).reverse()) await close();
  };
  try {
    const lock = overrides.db === undefined ? lockEmbedded(config) : undefined;
    opened.push(() => lock?.release());
    const db = overrides.db ?? (await openConfigured(config, log));
    if (overrides.db === undefined) opened.push(() => db.close());
    await prepareSchema(config, db);
    await adviseOnPgvector(db, log);
    const openEmbedder = embedderOpener(config, log, overrides.otherEmbedders);
    const spaces = new SpaceRegistry(db, openEmbedder);
    opened.push(() => spaces.close());
    const embedder = overrides.embedder ?? (await loadModels(config, openEmbedder));
    if (overrides.embedder === undefined) opened.push(() => embedder.close());
    const clock = overrides.clock ?? (() => new Date());
    const registered = await registerSpace({ db, spaces, clock }, embedder.space, configuredRequest(config));
    spaces.adopt(registered.space.id, embedder, { owned: false });
    sayWhatIsServed(registered, log);
    const services = createServices({
      db,
      spaces,
      clock,
      writeEmbedWaitMs: config.WRITE_EMBED_WAIT_MS,
      receiptRetentionMs: config.RECEIPT_RETENTION_DAYS === 0 ? null : config.RECEIPT_RETENTION_DAYS * DAY_MS,
      gatePolicy: gatePolicy(config),
      onPending: () => {
        backlog.wake();
      },
    });
    const backlog = startEmbedBacklog(services, { log });
    opened.push(() => backlog.stop());
    const receipts = startDroppingReceipts(services, log);
    opened.push(() => receipts.stop());
    return {
      ...{ services, db, embedder, spaces: registered, lock, close: closeAll },
      localCaller: localCaller(await defaultTenant(db)),
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/** Takes the data folder where the database is in it. */
function lockEmbedded(config: Config): DataDirLock | undefined {
  return config.DATABASE_URL === undefined ? lockDataDir(config.MEMGATE_DATA_DIR) : undefined;
}

async function adviseOnPgvector(db: Database, log: Logger): Promise<void> {
  const advice = await pgvectorAdvice(db);
  if (advice !== undefined) log.warn(advice);
}

/** Opens the database that the settings name; the caller holds the folder's lock. */
export async function openConfigured(config: Config, log: Logger): Promise<Database> {
  if (config.DATABASE_URL === undefined) {
    return await openDatabase({
      kind: "embedded",
      dataDir: path.join(config.MEMGATE_DATA_DIR, "postgres"),
      appRole: config.DB_APP_ROLE,
    });
  }
  return await openDatabase({
    kind: "postgres",
    url: config.DATABASE_URL,
    poolMax: config.DB_POOL_MAX,
    appRole: config.DB_APP_ROLE,
    onError: (error) => {
      log.warn({ err: error }, "an idle database connection was lost");
    },
  });
}

/** Migrates, or where that is not wanted throws when a migration is pending. */
export async function prepareSchema(config: Config, db: Database): Promise<void> {
  if (config.MIGRATE_ON_START) {
    await withMigrationDatabase(config, db, async (direct) => await migrate(direct, { appRole: config.DB_APP_ROLE }));
    return;
  }
  const { pending } = await migrationStatus(db);
  if (pending.length > 0) {
    throw new Error(
      `${String(pending.length)} migrations are pending and MIGRATE_ON_START=false: run "memgate migrate"`,
    );
  }
}

/** Migrations hold locks across statements, which a pooler does not allow: they may have an address of their own. */
export async function withMigrationDatabase<T>(
  config: Config,
  db: Database,
  work: (db: Database) => Promise<T>,
): Promise<T> {
  if (config.MIGRATION_DATABASE_URL === undefined) return await work(db);
  const direct = await openDatabase({ kind: "postgres", url: config.MIGRATION_DATABASE_URL, poolMax: 1 });
  try {
    return await work(direct);
  } finally {
    await direct.close();
  }
}

/** The embedder loads in a thread of its own: meanwhile this one can read what the first search needs to count tokens. */
async function loadModels(config: Config, open: OpenEmbedder): Promise<Embedder> {
  const [embedder] = await Promise.all([open(configuredRequest(config)), loadTokenCounter()]);
  return embedder;
}

function sayWhatIsServed({ space, served }: RegisteredSpace, log: Logger): void {
  if (space.id === served.id) return;
  const name = ({ id, identity }: RegisteredSpace["space"]): string =>
    `${String(id)} (${identity.provider} ${identity.model}, ${String(identity.dimensions)} dimensions)`;
  log.warn(
    `the embedding space ${name(served)} goes on serving; the configured one, ${name(space)}, is being filled: ` +
      `"memgate space activate ${String(space.id)}" switches to it`,
  );
}

function gatePolicy(config: Config) {
  return {
    similarity_threshold: config.SIMILARITY_THRESHOLD,
    profile: PROFILES[config.RETRIEVAL_PROFILE],
    limits: {
      simple: config.ADAPTIVE_SIMPLE_LIMIT,
      medium: config.ADAPTIVE_MEDIUM_LIMIT,
      complex: config.ADAPTIVE_COMPLEX_LIMIT,
      multi_hop: config.ADAPTIVE_MULTI_HOP_LIMIT,
      aggregation: config.ADAPTIVE_AGGREGATION_LIMIT,
    },
  };
}
