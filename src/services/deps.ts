import type { GatePolicy } from "../core/resolve-gate.js";
import type { Database } from "../db/database.js";
import type { ScopeResolver } from "./resolve-scope.js";
import type { SpaceRegistry } from "./space-registry.js";
import type { TenantSecrets } from "./tenant-secrets.js";

export type { Caller } from "./caller.js";

/** What every service works with; made once by `compose`. */
export interface ServiceDeps {
  readonly db: Database;
  /** The embedding spaces: the one that is searched, and those that are filled. */
  readonly spaces: SpaceRegistry;
  /** The one clock; a request reads it once. */
  readonly clock: () => Date;
  /** How long a write waits for its embedding, in ms; what is not ready by then is stored as pending. */
  readonly writeEmbedWaitMs: number;
  /** How long the receipt of an idempotent command holds, in ms; null is for ever. */
  readonly receiptRetentionMs: number | null;
  readonly gatePolicy: GatePolicy;
  /** Called after a write that left something for the embedding loop. */
  readonly onPending: () => void;
}

/** The dependencies with what `createServices` adds to them. */
export interface BoundDeps extends ServiceDeps {
  readonly scopes: ScopeResolver;
  readonly secrets: TenantSecrets;
}
