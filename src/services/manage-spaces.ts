import { MemgateError } from "../core/errors.js";
import { lockSpaces, moveSpace, readSpaces, type SpaceIdentity, type SpaceRow } from "../db/queries/spaces.js";
import type { ServiceDeps } from "./deps.js";
import { registerSpace } from "./register-space.js";
import { measureCoverage, type CoverageReport } from "./space-coverage.js";
import { EXTERNAL, type EmbedderRequest } from "./space-registry.js";

/** Dimensions up to which pgvector indexes a type by HNSW. */
const HNSW = { vector: 2_000, halfvec: 4_000 };

export interface DescribedSpace extends SpaceRow {
  readonly coverage: CoverageReport;
  /** How the space is searched, and which index its dimensions would allow; null: none. */
  readonly index: {
    readonly plan: "exact_scan";
    readonly annIndexType: "vector_hnsw" | "halfvec_hnsw" | null;
  };
}

/** Every space, with how far it is filled. */
export async function listSpaces(deps: Pick<ServiceDeps, "db" | "spaces">): Promise<DescribedSpace[]> {
  const described: DescribedSpace[] = [];
  for (const space of await deps.spaces.refresh()) {
    const { dimensions } = space.identity;
    const annIndexType = dimensions <= HNSW.vector ? "vector_hnsw" : dimensions <= HNSW.halfvec ? "halfvec_hnsw" : null;
    const coverage = await measureCoverage(deps.db, space.id, (scopeId) => deps.db.inScope(scopeId));
    described.push({ ...space, coverage, index: { plan: "exact_scan", annIndexType } });
  }
  return described;
}

/** An embedder to be opened, or for the provider `external` the identity of vectors that callers bring. */
export type SpaceRequest =
  | Omit<EmbedderRequest, "identity">
  | { readonly provider: typeof EXTERNAL; readonly identity: Omit<SpaceIdentity, "provider"> };

/**
 * Registers a space, to be filled from now on; one that there is stays as it is, but a retired one is filled again.
 * Throws an error of the provider where its embedder cannot be opened.
 */
export async function createSpace(
  deps: Pick<ServiceDeps, "db" | "spaces" | "clock" | "onPending">,
  request: SpaceRequest,
): Promise<SpaceRow> {
  const { space } =
    "identity" in request
      ? await registerSpace(deps, { ...request.identity, provider: EXTERNAL }, NO_ORIGIN)
      : await openSpace(deps, request);
  deps.onPending();
  return space;
}

const NO_ORIGIN = { baseUrl: null, settings: {} };

async function openSpace(
  deps: Pick<ServiceDeps, "db" | "spaces" | "clock">,
  request: Omit<EmbedderRequest, "identity">,
): Promise<{ readonly space: SpaceRow }> {
  const embedder = await deps.spaces.make(request);
  try {
    const registered = await registerSpace(deps, embedder.space, request);
    deps.spaces.adopt(registered.space.id, embedder, { owned: true });
    return registered;
  } catch (error) {
    await embedder.close();
    throw error;
  }
}

/**
 * Ends a space: it is filled no longer and not to be activated until it is created again. Its vectors stay.
 * Throws `space_not_found`, and `space_conflict` for the served one.
 */
export async function retireSpace(
  deps: Pick<ServiceDeps, "db" | "spaces">,
  request: { readonly spaceId: number },
): Promise<SpaceRow> {
  await deps.db.transaction(async (tx) => {
    await lockSpaces(tx);
    const space = (await readSpaces(tx)).find(({ id }) => id === request.spaceId);
    if (space === undefined) throw new MemgateError("space_not_found", "there is no such embedding space");
    if (space.state === "served") throw new MemgateError("space_conflict", "the served embedding space cannot retire");
    await moveSpace(tx, space.id, "retired");
  });
  const space = (await deps.spaces.refresh()).find(({ id }) => id === request.spaceId);
  if (space === undefined) throw new MemgateError("space_not_found", "there is no such embedding space");
  return space;
}
