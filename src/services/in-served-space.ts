import type { SearchMode } from "../core/search-mode.js";
import type { BoundDeps } from "./deps.js";

/** A query as one space has it; null, null for a search that compares no vectors. */
export interface EmbeddedQuery {
  readonly spaceId: number | null;
  readonly vector: Float32Array | null;
  /** Milliseconds. */
  readonly tookMs: number;
}

/** Switches that one search follows: each is a command of an operator, so that a second one is rare. */
const FOLLOWED = 5;

/**
 * Embeds the query in the served space and runs a search that says which space its snapshot serves; where that is another
 * one by then, both once more: so every reply is wholly of the space that was served as it was made.
 * Throws `embedding_unavailable`.
 */
export async function inServedSpace<Found extends { readonly servedSpaceId: number | null }>(
  deps: Pick<BoundDeps, "spaces">,
  request: { readonly query: string; readonly mode: SearchMode },
  search: (query: EmbeddedQuery) => Promise<Found>,
): Promise<Found> {
  if (request.mode === "lexical") return await search({ spaceId: null, vector: null, tookMs: 0 });
  for (let switches = 0; ; switches++) {
    const query = await embedServed(deps, request.query);
    const found = await search(query);
    if (found.servedSpaceId === null || found.servedSpaceId === query.spaceId || switches === FOLLOWED) return found;
    await deps.spaces.refresh();
  }
}

/** The served space may have been given up for the very reason that it cannot embed any more. */
async function embedServed({ spaces }: Pick<BoundDeps, "spaces">, text: string): Promise<EmbeddedQuery> {
  const began = performance.now();
  const known = await spaces.servedRow();
  const embed = async (): Promise<EmbeddedQuery> => {
    const { id, embedder } = await spaces.served();
    return { spaceId: id, vector: await embedder.embedQuery(text), tookMs: performance.now() - began };
  };
  try {
    return await embed();
  } catch (error) {
    await spaces.refresh();
    if ((await spaces.servedRow())?.id === known?.id) throw error;
    return await embed();
  }
}
