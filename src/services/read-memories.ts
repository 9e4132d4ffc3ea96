import { memoryNotFound } from "../core/errors.js";
import type { Memory } from "../core/memory.js";
import type { Filters } from "../core/scope.js";
import {
  findMemories,
  listMemories as list,
  memoryHistory as history,
  type ListPosition,
} from "../db/queries/read-memories.js";
import type { BoundDeps, Caller } from "./deps.js";
import { usableId, usableIds } from "./memory-ids.js";
import { viewOf, type ScopeRequest } from "./resolve-scope.js";

type ReadDeps = Pick<BoundDeps, "db" | "clock" | "scopes">;

/** One current memory. Throws `not_found`, the same for a foreign, unknown, deleted and expired one. */
export async function getMemory(
  deps: ReadDeps,
  caller: Caller,
  request: ScopeRequest & { readonly id: string },
): Promise<Memory> {
  const [memory] = await getMemories(deps, caller, { ...request, ids: [request.id] });
  if (memory == null) throw memoryNotFound();
  return memory;
}

/** The current memories with these ids, in the order asked for; null for one that is not to be had. */
export async function getMemories(
  deps: ReadDeps,
  caller: Caller,
  request: ScopeRequest & { readonly ids: readonly string[] },
): Promise<(Memory | null)[]> {
  const view = viewOf(await deps.scopes.find(caller, request), deps.clock());
  if (view === undefined) return request.ids.map(() => null);
  const found = await findMemories(deps.db.inScope(view.scopeId), view, usableIds(request.ids));
  const byId = new Map(found.map((memory) => [memory.id, memory]));
  return request.ids.map((id) => byId.get(usableId(id) ?? "") ?? null);
}

export interface ListRequest extends ScopeRequest {
  readonly filters: Filters;
  readonly after: ListPosition | undefined;
  readonly limit: number;
}

/** A page of current memories, newest first; `next` is the place to go on from, undefined on the last page. */
export async function listMemories(
  deps: ReadDeps,
  caller: Caller,
  request: ListRequest,
): Promise<{ memories: Memory[]; next: ListPosition | undefined }> {
  const view = viewOf(await deps.scopes.find(caller, request), deps.clock());
  if (view === undefined) return { memories: [], next: undefined };
  const { filters, after, limit } = request;
  const found = await list(deps.db.inScope(view.scopeId), view, {
    filters,
    after,
    limit: limit + 1,
  });
  const memories = found.slice(0, limit);
  const last = memories.at(-1);
  return {
    memories,
    next: found.length > limit && last !== undefined ? { createdAt: last.createdAt, id: last.id } : undefined,
  };
}

/** Every revision of one current memory, newest first. Throws `not_found`. */
export async function memoryHistory(
  deps: ReadDeps,
  caller: Caller,
  request: ScopeRequest & { readonly id: string },
): Promise<Memory[]> {
  const view = viewOf(await deps.scopes.find(caller, request), deps.clock());
  const id = usableId(request.id);
  const known = view !== undefined && id !== undefined;
  const revisions = known ? await history(deps.db.inScope(view.scopeId), view, id) : [];
  if (revisions.length === 0) throw memoryNotFound();
  return revisions;
}
