import { bodyOf, type Api, type MemoryBody } from "./api.js";

/** Ids that each way of filtering finds, sorted. */
export interface FoundBy {
  readonly list: string[];
  readonly search: string[];
  readonly fast: string[];
  readonly delete: string[];
}

/** All ways with the same answer. */
export function foundByAll(ids: readonly string[]): FoundBy {
  const sorted = [...ids].sort();
  return { list: sorted, search: sorted, fast: sorted, delete: sorted };
}

/** What a listing, both searches and a deletion on trial find of a user with at most 100 memories. */
export async function findBy(api: Api, user_id: string, filter: object): Promise<FoundBy> {
  const query = { user_id, limit: 200, filter: JSON.stringify(filter) };
  const listed = bodyOf<{ memories: MemoryBody[] }>(await api.request.get("/v1/memories").query(query), 200);
  const searched = async (path: string): Promise<string[]> => {
    const body = { user_id, query: "the one", threshold: 0, limit: 100, filter };
    const reply = await api.request.post(path).send(body);
    return idsOf(bodyOf<{ memories: MemoryBody[] }>(reply, 200).memories);
  };
  const deletion = await api.request.post("/v1/memories/delete").send({ user_id, filter, dry_run: true });
  return {
    list: idsOf(listed.memories),
    search: await searched("/v1/memories/search"),
    fast: await searched("/v1/memories/search/fast"),
    delete: bodyOf<{ ids: string[] }>(deletion, 200).ids.sort(),
  };
}

function idsOf(memories: readonly { readonly id: string }[]): string[] {
  return memories.map((memory) => memory.id).sort();
}
