import { isTiedToAgents, mayName } from "../core/access.js";
import { forbidden } from "../core/errors.js";
import { scopesOfTenant } from "../db/queries/scopes.js";
import type { BoundDeps, Caller } from "./deps.js";
import type { EraseRequest } from "./erase-request.js";

/**
 * The scopes that an erasure is about, in ascending order. One that the key may not wholly reach is refused rather than
 * done in part: `forbidden`.
 */
export async function scopesToErase(deps: BoundDeps, caller: Caller, request: EraseRequest): Promise<number[]> {
  const { scope, target } = request;
  if (scope === undefined) {
    if (isTiedToAgents(caller)) throw forbidden("an erasure across scopes needs a key that is tied to no agents");
    const scopes = await scopesOfTenant(deps.db, caller.tenantId, null);
    return scopes.filter(({ names }) => mayName(caller, names)).map(({ id }) => id);
  }
  if (scope.names.workspaceId !== null && target.by !== "memory" && isTiedToAgents(caller)) {
    throw forbidden("it would erase the memories of all the workspace's agents: this key is tied to some");
  }
  if (target.by === "user") {
    if (caller.grants.projects !== undefined)
      throw forbidden("a user's memories are in any project: this key is tied to some");
    return (await scopesOfTenant(deps.db, caller.tenantId, scope.names.userId)).map(({ id }) => id);
  }
  const { id } = await deps.scopes.find(caller, scope);
  return id === undefined ? [] : [id];
}
