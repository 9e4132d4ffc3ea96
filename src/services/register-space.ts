import {
  ensureSpace,
  lockSpaces,
  moveSpace,
  readSpaces,
  serveSpace,
  type SpaceIdentity,
  type SpaceOrigin,
  type SpaceRow,
} from "../db/queries/spaces.js";
import type { ServiceDeps } from "./deps.js";

/** A space that has been registered, and the one that is served now: the same where none was served before. */
export interface RegisteredSpace {
  readonly space: SpaceRow;
  readonly served: SpaceRow;
}

/**
 * Registers a space. Where none is served it becomes the served one; where another is, that one goes on serving and this
 * one is filled until it is activated. One that there is stays as it is, but a retired one is filled again.
 */
export async function registerSpace(
  deps: Pick<ServiceDeps, "db" | "spaces" | "clock">,
  identity: SpaceIdentity,
  { baseUrl, settings }: SpaceOrigin,
): Promise<RegisteredSpace> {
  const id = await deps.db.transaction(async (tx) => {
    await lockSpaces(tx);
    const found = await ensureSpace(tx, identity, { baseUrl, settings });
    const spaces = await readSpaces(tx);
    if (!spaces.some(({ state }) => state === "served")) await serveSpace(tx, found, deps.clock());
    else if (spaces.some((row) => row.id === found && row.state === "retired")) await moveSpace(tx, found, "building");
    return found;
  });
  const rows = await deps.spaces.refresh();
  const space = rows.find((row) => row.id === id);
  const served = rows.find(({ state }) => state === "served");
  if (space === undefined || served === undefined) throw new Error("an embedding space was not registered");
  return { space, served };
}
