import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { startApi, type Api } from "../support/api.js";
import { cosine } from "../support/cosine.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";
import { uniqueName } from "../support/unique-name.js";
import { until } from "../support/until.js";
import { WordEmbedder } from "../support/word-embedder.js";

let database: TestDatabase;

beforeAll(async () => {
  database = await openTestDatabase();
});

afterAll(async () => {
  await database.close();
});

const first = new WordEmbedder();

/** A server with the embedder, which can open the spaces of the others. */
async function withApi<T>(
  embedder: WordEmbedder,
  others: readonly WordEmbedder[],
  work: (api: Api) => Promise<T>,
): Promise<T> {
  const api = await startApi({ db: database.db, embedder, otherEmbedders: others });
  try {
    return await work(api);
  } finally {
    await api.close();
  }
}

const CONTENT = "zebra giraffe elephant";
const QUERY = "zebra giraffe violin";

/** The cosine that a search shows for the one memory of a user. */
async function shown(api: Api, user_id: string): Promise<number | null | undefined> {
  const { memories } = await api.search({ user_id, query: QUERY, gate_mode: "off" });
  expect(memories).toHaveLength(1);
  return memories[0]?.semantic_similarity;
}

function expected(embedder: WordEmbedder): number {
  return cosine(embedder.vectorOf(QUERY), embedder.vectorOf(CONTENT));
}

/** Makes the configured space the served one, once all has a vector there. */
async function activate(api: Api): Promise<void> {
  const { services, spaces } = api.system;
  await until(async () => (await services.activateSpace({ spaceId: spaces.space.id })).activated);
}

async function states(api: Api): Promise<Record<string, string>> {
  const spaces = await api.system.services.listSpaces();
  return Object.fromEntries(spaces.map(({ id, state }) => [String(id), state]));
}

describe.each([
  ["another model of the same dimensions", { model: "other" }],
  ["the same model with fewer dimensions", { dimensions: 64 }],
  ["the same model with more dimensions", { dimensions: 512 }],
])("when the embedder becomes %s", (_, change) => {
  it("the old space goes on serving while the new one is filled, until that is activated, and back again", async () => {
    const user_id = uniqueName("user");
    const [before, after] = [first, new WordEmbedder(change)];
    const { id } = await withApi(before, [after], async (api) => {
      if (api.system.spaces.served.id !== api.system.spaces.space.id) await activate(api);
      return await api.store({ user_id, content: CONTENT });
    });

    after.setDown(true);
    await withApi(after, [before], async (api) => {
      const { services, spaces } = api.system;
      expect(spaces.served.id).not.toBe(spaces.space.id);
      expect(await shown(api, user_id)).toBeCloseTo(expected(before), 5);
      expect((await api.read(id, { user_id })).embedding_status).toBe("ready");
      const early = await services.activateSpace({ spaceId: spaces.space.id });
      expect(early.activated).toBe(false);
      expect(early.coverage.missing.flatMap(({ ids }) => ids)).toContain(id);
      expect(await states(api)).toMatchObject({ [spaces.served.id]: "served", [spaces.space.id]: "building" });

      after.setDown(false);
      await activate(api);
      expect(await states(api)).toMatchObject({ [spaces.served.id]: "standby", [spaces.space.id]: "served" });
      expect(await shown(api, user_id)).toBeCloseTo(expected(after), 5);
      expect((await api.read(id, { user_id })).embedding_status).toBe("ready");

      expect(await services.rollbackSpace()).toMatchObject({ activated: true, spaceId: spaces.served.id });
      expect(await shown(api, user_id)).toBeCloseTo(expected(before), 5);
      await services.retireSpace({ spaceId: spaces.space.id });
      expect(await states(api)).toMatchObject({ [spaces.space.id]: "retired" });
    });
  });
});

it("what is pending in the space that is activated all the same is compared by no vector of the other", async () => {
  const user_id = uniqueName("user");
  const [before, after] = [first, new WordEmbedder({ model: "slow" })];
  const { id } = await withApi(before, [], async (api) => await api.store({ user_id, content: CONTENT }));
  after.refuses = (text) => text === CONTENT;
  await withApi(after, [before], async (api) => {
    const { services, spaces } = api.system;
    await services.activateSpace({ spaceId: spaces.space.id, allowPending: true });
    expect(await shown(api, user_id)).toBeNull();
    expect((await api.read(id, { user_id })).embedding_status).toBe("pending");
    after.setDown(false);
    await until(async () => (await api.read(id, { user_id })).embedding_status === "ready");
    expect(await shown(api, user_id)).toBeCloseTo(expected(after), 5);
    await services.activateSpace({ spaceId: spaces.served.id, allowPending: true });
    await services.retireSpace({ spaceId: spaces.space.id });
  });
});

it("a served space that cannot be opened answers 503 but for the words, and writes are stored as pending", async () => {
  const user_id = uniqueName("user");
  const other = new WordEmbedder({ model: "without the served one" });
  await withApi(first, [], async (api) => await api.store({ user_id, content: CONTENT }));
  await withApi(other, [], async (api) => {
    const { space } = api.system.spaces;
    expect((await api.request.post("/v1/memories/search").send({ user_id, query: QUERY })).status).toBe(503);
    const lexical = await api.search({ user_id, query: QUERY, mode: "lexical", gate_mode: "off" });
    expect(lexical.memories.map(({ content }) => content)).toEqual([CONTENT]);
    expect((await api.store({ user_id, content: "violin" })).embedding_status).toBe("pending");
    await api.system.services.retireSpace({ spaceId: space.id });
  });
});

it.each([1e-30, 1e-15, 1e-6, 1, 1e6, 1e15, 1e30])("vectors of length %d give the same cosine", async (norm) => {
  const user_id = uniqueName("user");
  const embedder = new WordEmbedder({ model: `norm ${String(norm)}`, norm });
  await withApi(embedder, [first], async (api) => {
    const { services, spaces } = api.system;
    await services.activateSpace({ spaceId: spaces.space.id, allowPending: true });
    await api.store({ user_id, content: CONTENT });
    const wanted = cosine(
      embedder.vectorOf(QUERY).map((x) => x / norm),
      embedder.vectorOf(CONTENT).map((x) => x / norm),
    );
    expect(wanted).toBeGreaterThan(0.5);
    expect(await shown(api, user_id)).toBeCloseTo(wanted, 5);
    await services.activateSpace({ spaceId: spaces.served.id, allowPending: true });
    await services.retireSpace({ spaceId: spaces.space.id });
  });
});
