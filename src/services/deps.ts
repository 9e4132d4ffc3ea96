import type { GatePolicy } from "../core/resolve-gate.js";
import type { Database } from "../db/database.js";
import type { Embedder } from "../embeddings/embedder.js";

/** What every service works with; made once by `compose`. */
export interface ServiceDeps {
  readonly db: Database;
  readonly embedder: Embedder;
  /** Id of the embedder's space: the one that is searched. */
  readonly spaceId: number;
  /** The one clock; a request reads it once. */
  readonly clock: () => Date;
  /** How long a write waits for its embedding, in ms; what is not ready by then is stored as pending. */
  readonly writeEmbedWaitMs: number;
  readonly gatePolicy: GatePolicy;
  /** Called after a write that left something for the embedding loop. */
  readonly onPending: () => void;
}

/** Who acts; fixed by the credentials. */
export interface Caller {
  readonly tenantId: number;
}
