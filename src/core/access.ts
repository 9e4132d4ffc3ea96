import { forbidden, type FieldError } from "./errors.js";
import type { ScopeNames } from "./scope.js";

/** What a key may do. None implies another: `admin` manages the tenant's keys and reads no memory. */
export const CAPABILITIES = ["memory_read", "memory_write", "memory_review", "memory_erase", "admin"] as const;
export type Capability = (typeof CAPABILITIES)[number];

/** Most values in one list of a grant. */
export const GRANT_VALUES_MAX = 256;

/**
 * The exact names that a key may use, byte for byte; a list that is absent limits nothing, save that a key with
 * `userIds` and no `workspaces` may name no workspace, and the other way round. A mission is not limited.
 */
export interface Grants {
  /** null in the list stands for "no project". */
  readonly projects?: readonly (string | null)[] | undefined;
  readonly workspaces?: readonly string[] | undefined;
  /**
   * Every request has to name one of these agents. In a workspace that decides what it sees; with a user it only fixes
   * the provenance of what is written, since nothing is hidden from a user's own applications.
   */
  readonly agents?: readonly string[] | undefined;
  readonly userIds?: readonly string[] | undefined;
}

/** What a caller may do, and where. */
export interface Rights {
  readonly capabilities: ReadonlySet<Capability>;
  readonly grants: Grants;
}

/** What a request needs: all of the capabilities and, where it has one, its scope. */
export interface Need {
  readonly capabilities: readonly Capability[];
  readonly scope: { readonly names: ScopeNames; readonly agentId: string | null } | undefined;
}

/** Throws `forbidden`, naming every field whose value the caller may not name, or the capabilities that it lacks. */
export function authorise(rights: Rights, need: Need): void {
  const { capabilities, scope } = need;
  const errors = scope === undefined ? [] : refusedFields(rights.grants, scope);
  if (errors.length > 0) throw forbidden("this key may not act there", errors);
  const lacking = capabilities.filter((capability) => !rights.capabilities.has(capability));
  if (lacking.length > 0) throw forbidden(`this key lacks ${lacking.join(" and ")}`);
}

/** Whether the key may see all of a scope: one that is tied to agents sees only what they do. */
export function isTiedToAgents(rights: Rights): boolean {
  return rights.grants.agents !== undefined;
}

/** Whether a key may name such a scope, the agent apart. */
export function mayName({ grants }: Rights, names: ScopeNames): boolean {
  return refusedFields({ ...grants, agents: undefined }, { names, agentId: null }).length === 0;
}

function refusedFields(grants: Grants, { names, agentId }: NonNullable<Need["scope"]>): FieldError[] {
  const { projects, agents } = grants;
  // A key that is tied to some users or workspaces is tied to these alone.
  const tied = grants.workspaces !== undefined || grants.userIds !== undefined;
  const { workspaces = tied ? [] : undefined, userIds = tied ? [] : undefined } = grants;
  const granted = {
    project: allows(projects, names.project),
    user_id: names.userId === null || allows(userIds, names.userId),
    workspace_id: names.workspaceId === null || allows(workspaces, names.workspaceId),
    agent_id: allows<string | null>(agents, agentId),
  };
  return Object.entries(granted).flatMap(([path, allowed]) =>
    allowed ? [] : { path, message: "is not among what this key may name" },
  );
}

function allows<T>(list: readonly T[] | undefined, value: T): boolean {
  return list === undefined || list.includes(value);
}
