import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { startApi, type Api } from "../support/api.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";
import { uniqueName } from "../support/unique-name.js";
import { WordEmbedder } from "../support/word-embedder.js";

let database: TestDatabase;
let api: Api;

beforeAll(async () => {
  database = await openTestDatabase();
  api = await startApi({ db: database.db, embedder: new WordEmbedder() });
});

afterAll(async () => {
  await api.close();
  await database.close();
});

const FILLER = "Nothing in here says more about it, and so it goes on and on. ".repeat(30);

describe("a memory that holds an identifier of the query, as few do", () => {
  it.each(["E-4031", "KB5034441", "88412907"])(
    "is returned first, however long the question and itself are: %s",
    async (name) => {
      const user_id = uniqueName("user");
      const { id } = await api.store({ user_id, content: `${FILLER} The reference is ${name}. ${FILLER}` });
      for (const content of ["My server keeps logging", "Somebody uploads large attachments", "harp violin"]) {
        await api.store({ user_id, content });
      }
      const query = `Why does my server keep logging ${name} whenever somebody uploads a large attachment?`;
      for (const mode of ["hybrid", "lexical"]) {
        const { memories, gate } = await api.search({ user_id, query, mode });
        expect({ mode, first: memories[0]?.id, verdict: gate.verdict }).toEqual({
          mode,
          first: id,
          verdict: "relevant",
        });
        expect(memories[0]?.relevance).toBeGreaterThanOrEqual(0.9);
      }
      const fast = await api.request.post("/v1/memories/search/fast").send({ user_id, query, threshold: 0.9 });
      expect((fast.body as { memories: { id: string }[] }).memories.map((memory) => memory.id)).toEqual([id]);
    },
  );

  it("is not set before a better one where many hold it", async () => {
    const user_id = uniqueName("user");
    for (const content of ["test kit", "gym", "travel rules", "trial", "queue"]) {
      await api.store({ user_id, content: `covid-19 ${content}` });
    }
    const { id } = await api.store({ user_id, content: "fever and headache after my vaccine" });
    const { memories } = await api.search({ user_id, query: "fever and headache after my covid-19 vaccine" });
    expect(memories[0]?.id).toBe(id);
  });
});
