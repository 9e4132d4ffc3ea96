import { ADAPTIVE_LIMITS_DEFAULT } from "../../src/core/limits.js";
import { PROFILES } from "../../src/core/profiles.js";
import type { Database } from "../../src/db/database.js";
import { defaultTenant } from "../../src/db/queries/tenants.js";
import type { Embedder } from "../../src/embeddings/embedder.js";
import type { ServiceDeps } from "../../src/services/deps.js";
import {
  createServices,
  localCaller,
  registerSpace,
  SpaceRegistry,
  type Caller,
  type Services,
} from "../../src/services/index.js";
import { WordEmbedder } from "./word-embedder.js";

export interface BenchOptions {
  readonly embedder?: WordEmbedder;
  /** Embedders that other spaces may be opened with. */
  readonly others?: readonly WordEmbedder[];
  readonly clock?: () => Date;
  /** How long receipts hold, in ms; null, the default, is for ever. */
  readonly receiptRetentionMs?: number | null;
}

/** The services without an edge and without background work: what is pending stays so until it is embedded by hand. */
export interface ServiceBench {
  readonly db: Database;
  readonly deps: ServiceDeps;
  /** Id of the embedder's space. */
  readonly spaceId: number;
  readonly services: Services;
  readonly embedder: WordEmbedder;
  /** Acts for the default tenant. */
  readonly caller: Caller;
  /** The same, with nothing remembered, on another way to the same database. */
  on(db: Database): Services;
}

export async function openBench(db: Database, options: BenchOptions = {}): Promise<ServiceBench> {
  const { embedder = new WordEmbedder({ dimensions: 16 }), clock = () => new Date() } = options;
  const spaces = testSpaces(db, [embedder, ...(options.others ?? [])]);
  const { space } = await registerSpace({ db, spaces, clock }, embedder.space, { baseUrl: null, settings: {} });
  const deps: ServiceDeps = {
    db,
    spaces,
    clock,
    writeEmbedWaitMs: 5_000,
    receiptRetentionMs: options.receiptRetentionMs ?? null,
    gatePolicy: { similarity_threshold: 0.3, profile: PROFILES.balanced, limits: ADAPTIVE_LIMITS_DEFAULT },
    onPending: () => undefined,
  };
  return {
    db,
    deps,
    spaceId: space.id,
    services: createServices(deps),
    embedder,
    caller: localCaller(await defaultTenant(db)),
    on: (other) => createServices({ ...deps, db: other }),
  };
}

/** The spaces of a database, embedded in by these: by provider and model, dimensions too where a space is known. */
export function testSpaces(db: Database, embedders: readonly Embedder[]): SpaceRegistry {
  return new SpaceRegistry(db, async ({ model, identity }) => {
    const found = embedders.find(({ space }) => {
      return space.model === model && (identity === undefined || space.dimensions === identity.dimensions);
    });
    if (found === undefined) throw new Error("the test has no such embedder");
    return await Promise.resolve(found);
  });
}
