import { MemgateError } from "../core/errors.js";
import { seeScope } from "../db/queries/space-coverage.js";
import { lockSpaces, readSpaces, serveSpace, type SpaceRow } from "../db/queries/spaces.js";
import type { ServiceDeps } from "./deps.js";
import { measureCoverage, type CoverageReport } from "./space-coverage.js";

/** What a switch did, or would have to wait for. */
export interface Activation {
  readonly activated: boolean;
  readonly spaceId: number;
  /** The space that was served before; null for none, and the same as `spaceId` where nothing had to be done. */
  readonly previousId: number | null;
  /** Of the space to be served. */
  readonly coverage: CoverageReport;
}

type Deps = Pick<ServiceDeps, "db" | "spaces" | "clock" | "onPending">;

/**
 * Makes a space the served one, in one step for every process, if all live memories have a vector in it or `allowPending`
 * says that some may wait for theirs; the one that was served stands by for {@link rollbackSpace}.
 * Throws `space_not_found`, and `space_conflict` for a retired one.
 */
export async function activateSpace(
  deps: Deps,
  request: { readonly spaceId: number; readonly allowPending?: boolean },
): Promise<Activation> {
  const activation = await deps.db.transaction(async (tx) => {
    await lockSpaces(tx);
    const spaces = await readSpaces(tx);
    const space = spaces.find(({ id }) => id === request.spaceId);
    if (space === undefined) throw new MemgateError("space_not_found", "there is no such embedding space");
    if (space.state === "retired") throw new MemgateError("space_conflict", "the embedding space is retired");
    const coverage = await measureCoverage(tx, space.id, async (scopeId) => await seeScope(tx, scopeId));
    const allowed = coverage.pending === 0 || request.allowPending === true;
    const previousId = spaces.find(({ state }) => state === "served")?.id ?? null;
    const activated = allowed || previousId === space.id;
    if (activated) await serveSpace(tx, space.id, deps.clock());
    return { activated, spaceId: space.id, previousId, coverage };
  });
  await deps.spaces.refresh();
  deps.onPending();
  return activation;
}

/** Serves the space again that was served last before. Throws `space_conflict` where none stands by. */
export async function rollbackSpace(
  deps: Deps,
  request: { readonly allowPending?: boolean } = {},
): Promise<Activation> {
  const standby = (await deps.spaces.refresh()).filter(({ state }) => state === "standby").toSorted(byActivation)[0];
  if (standby === undefined) throw new MemgateError("space_conflict", "no embedding space stands by");
  return await activateSpace(deps, { ...request, spaceId: standby.id });
}

/** The latest first. */
function byActivation(a: SpaceRow, b: SpaceRow): number {
  return (b.activatedAt?.getTime() ?? 0) - (a.activatedAt?.getTime() ?? 0) || b.id - a.id;
}
