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

async function withApi<T>(embedder: WordEmbedder, work: (api: Api) => Promise<T>): Promise<T> {
  const api = await startApi({ db: database.db, embedder });
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

describe.each([
  ["another model of the same dimensions", { model: "other" }],
  ["the same model with fewer dimensions", { dimensions: 64 }],
  ["the same model with more dimensions", { dimensions: 512 }],
])("when the embedder becomes %s", (_, change) => {
  it("memories are pending, compared by no vector of the old space, until they have one of the new", async () => {
    const user_id = uniqueName("user");
    const [before, after] = [new WordEmbedder(), new WordEmbedder(change)];
    const memory = await withApi(before, async (api) => await api.store({ user_id, content: CONTENT }));
    expect(memory.embedding_status).toBe("ready");

    after.refuses = (text) => text === CONTENT;
    await withApi(after, async (api) => {
      expect(await shown(api, user_id)).toBeNull();
      expect((await api.read(memory.id, { user_id })).embedding_status).toBe("pending");
      after.setDown(false);
      await until(async () => (await api.read(memory.id, { user_id })).embedding_status === "ready");
      expect(await shown(api, user_id)).toBeCloseTo(cosine(after.vectorOf(QUERY), after.vectorOf(CONTENT)), 5);
    });
  });

  it("and back again, every vector is that of the space which is served", async () => {
    const user_id = uniqueName("user");
    const [before, after] = [new WordEmbedder(), new WordEmbedder(change)];
    const { id } = await withApi(before, async (api) => await api.store({ user_id, content: CONTENT }));
    for (const embedder of [after, before]) {
      await withApi(embedder, async (api) => {
        await until(async () => (await api.read(id, { user_id })).embedding_status === "ready");
        expect(await shown(api, user_id)).toBeCloseTo(cosine(embedder.vectorOf(QUERY), embedder.vectorOf(CONTENT)), 5);
      });
    }
  });
});

it.each([1e-30, 1e-15, 1e-6, 1, 1e6, 1e15, 1e30])("vectors of length %d give the same cosine", async (norm) => {
  const user_id = uniqueName("user");
  const embedder = new WordEmbedder({ model: `norm ${String(norm)}`, norm });
  await withApi(embedder, async (api) => {
    await api.store({ user_id, content: CONTENT });
    const expected = cosine(
      embedder.vectorOf(QUERY).map((x) => x / norm),
      embedder.vectorOf(CONTENT).map((x) => x / norm),
    );
    expect(expected).toBeGreaterThan(0.5);
    expect(await shown(api, user_id)).toBeCloseTo(expected, 5);
  });
});
