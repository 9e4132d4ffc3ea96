import { LRUCache } from "lru-cache";
import type { Scope, ScopeNames, View } from "../core/scope.js";
import { ensureScope, findScope } from "../db/queries/scopes.js";
import type { Queryable } from "../db/database.js";
import type { Caller } from "./caller.js";

/** The scope as a request names it. */
export interface ScopeRequest {
  readonly names: ScopeNames;
  readonly agentId: string | null;
}

export type WritableScope = Scope & { readonly id: number };

/** Finds the scope of a request once, before any data is read. A scope's id never changes, so it is remembered. */
export class ScopeResolver {
  private readonly known = new LRUCache<string, number>({ max: 10_000 });

  constructor(private readonly db: Queryable) {}

  /** For reading: `id` is undefined while nothing was ever written there. */
  async find(caller: Caller, request: ScopeRequest): Promise<Scope> {
    const key = cacheKey(caller, request.names);
    const id = this.known.get(key) ?? (await findScope(this.db, caller.tenantId, request.names));
    if (id !== undefined) this.known.set(key, id);
    // Not `...request`: many a request has an `id` of its own, that of a memory.
    return { id, names: request.names, agentId: request.agentId };
  }

  /** For writing: made where it does not exist. */
  async ensure(caller: Caller, request: ScopeRequest): Promise<WritableScope> {
    const found = await this.find(caller, request);
    const id = found.id ?? (await ensureScope(this.db, caller.tenantId, request.names));
    this.known.set(cacheKey(caller, request.names), id);
    return { id, names: request.names, agentId: request.agentId };
  }
}

/** Whether a view is of the past: then its `now` is the recorded time that is asked about. */
export interface ViewOptions {
  readonly past?: boolean;
}

/** What a request may see of a scope at `now`; undefined when nothing was ever written there. */
export function viewOf(scope: WritableScope, now: Date, options?: ViewOptions): View;
export function viewOf(scope: Scope, now: Date, options?: ViewOptions): View | undefined;
export function viewOf(scope: Scope, now: Date, { past = false }: ViewOptions = {}): View | undefined {
  if (scope.id === undefined) return undefined;
  return { scopeId: scope.id, viewer: scope.names.workspaceId === null ? null : scope.agentId, now, past };
}

/** The view of a search: as things stand, or as they were recorded at `asOf`. */
export function viewOfSearch(scope: Scope, asOf: Date | undefined, now: Date): View | undefined {
  return viewOf(scope, asOf ?? now, { past: asOf !== undefined });
}

/** JSON keeps the names apart whatever characters they hold. */
function cacheKey(caller: Caller, names: ScopeNames): string {
  return JSON.stringify([caller.tenantId, names.project, names.mission, names.userId, names.workspaceId]);
}
