import { activateSpace, rollbackSpace } from "./activate-space.js";
import { createFirstKey, createKey, listKeys, revokeKey, type KeyDeps } from "./api-keys.js";
import { authenticate, whoAmI } from "./authenticate.js";
import { createMemories } from "./create-memories.js";
import { createMemory } from "./create-memory.js";
import { deleteMemories, deleteMemory } from "./delete-memories.js";
import type { ServiceDeps } from "./deps.js";
import { dropOldReceipts } from "./drop-receipts.js";
import { embedPending, spacesToFill, type BacklogPlace } from "./embed-pending.js";
import { eraseMemories } from "./erase-memories.js";
import { explainMemory } from "./explain-memory.js";
import { exportScope } from "./export-scope.js";
import { importScope } from "./import-scope.js";
import { createSpace, listSpaces, retireSpace } from "./manage-spaces.js";
import { readChanges } from "./read-changes.js";
import { getMemories, getMemory, listMemories, memoryHistory } from "./read-memories.js";
import { checkReadiness } from "./readiness.js";
import { ScopeResolver } from "./resolve-scope.js";
import { reviewMemory } from "./review-memory.js";
import { searchMemories } from "./search-memories.js";
import { setGrant } from "./set-grant.js";
import { TenantSecrets } from "./tenant-secrets.js";
import { updateMemory } from "./update-memory.js";

export type { Activation } from "./activate-space.js";
export type { ApiKey, CreatedKey, KeyDraft } from "./api-keys.js";
export { localCaller } from "./authenticate.js";
export type { Created } from "./create-memories.js";
export { ON_DUPLICATE, type MemoryDraft } from "./creation-request.js";
export { BacklogError } from "./embed-pending.js";
export type { Caller, ServiceDeps } from "./deps.js";
export type { BulkDeleteRequest, Deleted } from "./delete-memories.js";
export type { Erased } from "./erase-memories.js";
export { DERIVED_MODES, type EraseTarget } from "./erase-request.js";
export { partitionOf } from "./export-scope.js";
export type { DescribedSpace, SpaceRequest } from "./manage-spaces.js";
export type { OnceRequest } from "./once.js";
export type { Readiness } from "./readiness.js";
export { registerSpace, type RegisteredSpace } from "./register-space.js";
export type { ScopeRequest } from "./resolve-scope.js";
export type { CoverageReport } from "./space-coverage.js";
export { EXTERNAL, SpaceRegistry, type EmbedderRequest, type OpenEmbedder } from "./space-registry.js";
export type { Spooled } from "./spool.js";
export { EARLIER_REASONS, EARLIER_STAGES, type Explanation } from "./explain-memory.js";
export type { SearchRequest } from "./score-search.js";
export type { Hit, Judged, SearchResult } from "./search-memories.js";
export type { UpdateRequest } from "./update-memory.js";
export { verify } from "./verify.js";

/** Everything that the edges can ask for, bound to one database, its embedding spaces and one clock. */
export function createServices(given: ServiceDeps) {
  const deps = { ...given, scopes: new ScopeResolver(given.db), secrets: new TenantSecrets(given.db) };
  return {
    ...createKeyServices(given),
    authenticate: bind(deps, authenticate),
    whoAmI: bind(deps, whoAmI),
    createMemory: bind(deps, createMemory),
    createMemories: bind(deps, createMemories),
    getMemory: bind(deps, getMemory),
    getMemories: bind(deps, getMemories),
    listMemories: bind(deps, listMemories),
    memoryHistory: bind(deps, memoryHistory),
    updateMemory: bind(deps, updateMemory),
    reviewMemory: bind(deps, reviewMemory),
    deleteMemory: bind(deps, deleteMemory),
    deleteMemories: bind(deps, deleteMemories),
    searchMemories: bind(deps, searchMemories),
    explainMemory: bind(deps, explainMemory),
    readChanges: bind(deps, readChanges),
    eraseMemories: bind(deps, eraseMemories),
    exportScope: bind(deps, exportScope),
    importScope: bind(deps, importScope),
    setGrant: bind(deps, setGrant),
    dropOldReceipts: async (signal: AbortSignal) => {
      await dropOldReceipts(deps, signal);
    },
    embedPending: async (signal: AbortSignal, place: BacklogPlace = {}) => await embedPending(deps, signal, place),
    spacesToFill: bind(deps, spacesToFill),
    listSpaces: bind(deps, listSpaces),
    createSpace: bind(deps, createSpace),
    retireSpace: bind(deps, retireSpace),
    activateSpace: bind(deps, activateSpace),
    rollbackSpace: bind(deps, rollbackSpace),
    checkReadiness: async () => await checkReadiness(deps),
  };
}

/** What manages the keys of a database: it needs no embedder. */
export function createKeyServices(deps: KeyDeps) {
  return {
    createKey: bind(deps, createKey),
    createFirstKey: bind(deps, createFirstKey),
    listKeys: bind(deps, listKeys),
    revokeKey: bind(deps, revokeKey),
  };
}

export type KeyServices = ReturnType<typeof createKeyServices>;

export type Services = ReturnType<typeof createServices>;

function bind<D, A extends unknown[], R>(deps: D, service: (deps: D, ...rest: A) => R): (...rest: A) => R {
  return (...rest) => service(deps, ...rest);
}
