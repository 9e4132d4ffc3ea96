import { expect } from "@jest/globals";
import { CORPUS, isRelevant, TOPICS, type Entry } from "../fixtures/noisy/corpus.js";
import { bodyOf, type Api, type SearchBody } from "./api.js";
import { uniqueName } from "./unique-name.js";

/** One way to search the corpus. */
export interface Surface {
  readonly name: string;
  readonly idOf: (entry: Entry) => string;
  /** Undefined for a memory that is none of the corpus. */
  readonly entryOf: (id: string) => Entry | undefined;
  search(fields: object): Promise<SearchBody>;
  /** Changes a memory by its id. */
  change(id: string, fields: object): Promise<void>;
}

type Scope = Readonly<Record<string, string>>;

/**
 * Stores the corpus once for a user and once in a workspace. An answer of each topic, now of importance 1 and of this moment,
 * lie where none of the surfaces may look: with another user, in a project of the same user, in another workspace, and in
 * the same workspace as what its author keeps to itself.
 */
export async function storeNoisyCorpus(api: Api, now: Date): Promise<Surface[]> {
  const user = { user_id: uniqueName("user") };
  const workspace = { workspace_id: uniqueName("workspace"), agent_id: "desk" };
  const answers = TOPICS.map((topic) => CORPUS.find((entry) => isRelevant(entry, topic))!);
  const copies = answers.map((entry) => ({ ...entry.fields, importance: 1, event_at: now.toISOString() }));
  for (const elsewhere of [
    { user_id: uniqueName("user") },
    { ...user, project: "another" },
    { workspace_id: uniqueName("workspace"), agent_id: "desk" },
  ]) {
    await storeAll(api, elsewhere, copies);
  }
  const hidden = copies.map((copy, index) => ({ ...copy, visibility: index % 2 === 0 ? "agent_only" : "restricted" }));
  await storeAll(api, { ...workspace, agent_id: "archivist" }, hidden);
  return [...(await surfacesOf(api, user, ["full", "fast"])), ...(await surfacesOf(api, workspace, WORKSPACE_NAMES))];
}

const WORKSPACE_NAMES = ["workspace", "workspace fast"] as const;

async function surfacesOf(api: Api, scope: Scope, names: readonly [string, string]): Promise<Surface[]> {
  const ids = await storeAll(
    api,
    scope,
    CORPUS.map((entry) => entry.fields),
  );
  const entries = new Map(ids.map((id, index) => [id, CORPUS[index]!]));
  const idByEntry = new Map(CORPUS.map((entry, index) => [entry, ids[index]!]));
  return ["/v1/memories/search", "/v1/memories/search/fast"].map((route, index) => ({
    name: names[index]!,
    idOf: (entry) => idByEntry.get(entry)!,
    entryOf: (id) => entries.get(id),
    search: async (fields) => bodyOf(await api.request.post(route).send({ ...scope, ...fields, explain: true }), 200),
    change: async (id, fields) => {
      bodyOf(await api.request.patch(`/v1/memories/${id}`).send({ ...scope, ...fields }), 200);
    },
  }));
}

/** The ids of what was stored, in order. */
async function storeAll(api: Api, scope: Scope, memories: readonly object[]): Promise<string[]> {
  const reply = await api.request.post("/v1/memories/batch").send({ ...scope, memories });
  const { results, counts } = bodyOf<{ results: { id: string }[]; counts: { created: number } }>(reply, 200);
  expect(counts.created).toBe(memories.length);
  return results.map((result) => result.id);
}
