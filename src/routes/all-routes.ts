import { changesRoute } from "./changes.js";
import type { Route } from "./define-route.js";
import { eraseRoute } from "./erase.js";
import { exportRoute, importRoute } from "./export-import.js";
import { deleteGrantRoute, putGrantRoute } from "./grants.js";
import { liveRoute, readyRoute } from "./health.js";
import { createKeyRoute, listKeysRoute, revokeKeyRoute } from "./keys.js";
import { batchRoute } from "./memories-batch.js";
import { deleteMemoriesRoute } from "./memories-delete.js";
import { getMemoriesRoute, getMemoryRoute, listMemoriesRoute, memoryHistoryRoute } from "./memories-read.js";
import { createMemoryRoute, deleteMemoryRoute, updateMemoryRoute } from "./memories-write.js";
import { reviewRoute } from "./review.js";
import { searchRoutes } from "./search.js";
import { whoAmIRoute } from "./whoami.js";

export interface RouteOptions {
  /** Every search reply carries its decisions. */
  readonly traceEnabled: boolean;
  /** Aborted when the process begins to shut down. */
  readonly drain: AbortSignal;
}

/** Every route of the API, fixed paths before those with an id. */
export function allRoutes(options: RouteOptions): Route[] {
  return [
    createMemoryRoute,
    listMemoriesRoute,
    batchRoute,
    getMemoriesRoute,
    deleteMemoriesRoute,
    ...searchRoutes(options),
    getMemoryRoute,
    updateMemoryRoute,
    deleteMemoryRoute,
    memoryHistoryRoute,
    reviewRoute,
    putGrantRoute,
    deleteGrantRoute,
    changesRoute(options.drain),
    eraseRoute,
    exportRoute,
    importRoute,
    createKeyRoute,
    listKeysRoute,
    revokeKeyRoute,
    whoAmIRoute,
    liveRoute,
    readyRoute(options.drain),
  ];
}
