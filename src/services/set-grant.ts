import { forbidden, invalidField, memoryNotFound } from "../core/errors.js";
import { deleteGrant, insertGrant } from "../db/queries/grants.js";
import { readHeads } from "../db/queries/heads.js";
import type { BoundDeps, Caller } from "./deps.js";
import { headForWrite } from "./head-for-write.js";
import { toOnce, type OnceRequest } from "./once.js";
import type { ScopeRequest } from "./resolve-scope.js";
import { writeInScope, type Written } from "./write-in-scope.js";

export interface GrantRequest extends ScopeRequest {
  readonly id: string;
  /** The agent that may see the memory, or no longer may. */
  readonly grantee: string;
  readonly granted: boolean;
  readonly once: OnceRequest | undefined;
}

/** Kept by the receipt, so it has to be JSON. */
export interface GrantState {
  readonly id: string;
  readonly granted: boolean;
}

/**
 * Lets an agent see one restricted memory of a workspace, or no longer; only the memory's author may.
 * Throws `not_found`, `forbidden`, or `invalid_request` outside workspaces.
 */
export async function setGrant(deps: BoundDeps, caller: Caller, request: GrantRequest): Promise<Written<GrantState>> {
  if (request.names.workspaceId === null)
    throw invalidField("workspace_id", "grants are for the memories of workspaces");
  const scope = await deps.scopes.find(caller, request);
  if (scope.id === undefined) throw memoryNotFound();
  const once = await toOnce(deps, caller, request.once);
  return await writeInScope(
    deps,
    { scopeId: scope.id, once },
    {
      work: async (write) => {
        const head = await headForWrite(write, request, readHeads);
        if (head.agentId !== request.agentId) throw forbidden("only its author says who may see a memory");
        const grant = { memoryId: head.id, agentId: request.grantee, at: write.at };
        const changed = request.granted
          ? await insertGrant(write.tx, write.scopeId, grant)
          : await deleteGrant(write.tx, write.scopeId, grant);
        if (changed) write.changes.push({ kind: "updated", memoryId: head.id, revision: head.revision });
        return { id: head.id, granted: request.granted };
      },
    },
  );
}
