import { afterAll, afterEach, beforeAll, describe, expect, it } from "@jest/globals";
import { bodyOf, problemOf, startApi, type Api, type MemoryBody } from "../support/api.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";
import { uniqueName } from "../support/unique-name.js";
import { until } from "../support/until.js";
import { WordEmbedder } from "../support/word-embedder.js";

let database: TestDatabase;
let api: Api;
const embedder = new WordEmbedder({ batchSize: 4 });

beforeAll(async () => {
  database = await openTestDatabase();
  api = await startApi({ db: database.db, embedder, env: { WRITE_EMBED_WAIT_MS: "100" } });
});

afterEach(() => {
  embedder.delayMs = 0;
  embedder.setDown(false);
});

afterAll(async () => {
  await api.close();
  await database.close();
});

async function statuses(user_id: string): Promise<Record<string, string>> {
  const reply = await api.request.get("/v1/memories").query({ user_id });
  const { memories } = bodyOf<{ memories: MemoryBody[] }>(reply, 200);
  return Object.fromEntries(memories.map((memory) => [memory.content, memory.embedding_status]));
}

async function untilReady(user_id: string): Promise<void> {
  await until(async () => Object.values(await statuses(user_id)).every((status) => status === "ready"));
}

describe("a memory that is not embedded in time", () => {
  it("201: is stored as pending when the provider is slow, and gets its vector in the background", async () => {
    const user_id = uniqueName("user");
    embedder.delayMs = 2_000;
    const started = performance.now();
    const memory = await api.store({ user_id, content: "zebra giraffe" });
    expect(performance.now() - started).toBeLessThan(1_900);
    expect(memory.embedding_status).toBe("pending");
    await untilReady(user_id);
    embedder.delayMs = 0;
    const { memories } = await api.search({ user_id, query: "zebra giraffe" });
    expect(memories).toMatchObject([{ id: memory.id, revision: 1 }]);
    expect(memories[0]?.semantic_similarity).toBeCloseTo(1, 5);
  });

  it("201: is stored as pending when the provider fails, and gets its vector once it is back", async () => {
    const user_id = uniqueName("user");
    embedder.setDown(true);
    const memory = await api.store({ user_id, content: "zebra giraffe" });
    expect(memory.embedding_status).toBe("pending");
    embedder.setDown(false);
    await untilReady(user_id);
    expect(await api.read(memory.id, { user_id })).toEqual({ ...memory, embedding_status: "ready" });
  });

  it("200: is found by its words meanwhile, without a cosine", async () => {
    const user_id = uniqueName("user");
    embedder.refuses = (text) => text.includes("ticket");
    await api.store({ user_id, content: "The ticket is ZX-4471-Q." });
    const { memories, gate } = await api.search({ user_id, query: "ZX-4471-Q" });
    expect(memories).toMatchObject([{ semantic_similarity: null, similarity: null, relevance: 1 }]);
    expect(gate).toMatchObject({ considered: 1, verdict: "relevant" });
  });

  it("200: is found by its words among more memories than a pool holds", async () => {
    const user_id = uniqueName("user");
    const memories = Array.from({ length: 205 }, (_, n) => ({ content: `Letter ${String(n)}.` }));
    bodyOf(await api.request.post("/v1/memories/batch").send({ user_id, memories }), 200);
    await untilAllReady(user_id);
    embedder.refuses = (text) => text.includes("ticket");
    await api.store({ user_id, content: "The ticket is ZX-4471-Q." });
    const found = await api.search({ user_id, query: "ZX-4471-Q", threshold: 1 });
    expect(found.memories.map((memory) => memory.content)).toEqual(["The ticket is ZX-4471-Q."]);
  });

  it("200: may be changed while it waits, and then stands for its new content", async () => {
    const user_id = uniqueName("user");
    embedder.delayMs = 300;
    const { id } = await api.store({ user_id, content: "zebra giraffe" });
    const reply = await api.request.patch(`/v1/memories/${id}`).send({ user_id, content: "violin cello" });
    expect(bodyOf<MemoryBody>(reply, 200)).toMatchObject({ revision: 2, embedding_status: "pending" });
    await untilReady(user_id);
    embedder.delayMs = 0;
    const found = (await api.search({ user_id, query: "violin cello", gate_mode: "off" })).memories;
    expect(found).toMatchObject([{ id, revision: 2 }]);
    expect(found[0]?.semantic_similarity).toBeCloseTo(1, 5);
  });

  it("200: keeps waiting through a change beside the content", async () => {
    const user_id = uniqueName("user");
    embedder.setDown(true);
    const { id } = await api.store({ user_id, content: "zebra giraffe" });
    const reply = await api.request.patch(`/v1/memories/${id}`).send({ user_id, tags: ["t"] });
    expect(bodyOf<MemoryBody>(reply, 200).embedding_status).toBe("pending");
    embedder.setDown(false);
    await untilReady(user_id);
  });

  it("200: may be deleted while it waits", async () => {
    const user_id = uniqueName("user");
    embedder.delayMs = 300;
    const { id } = await api.store({ user_id, content: "zebra giraffe" });
    bodyOf(await api.request.delete(`/v1/memories/${id}`).query({ user_id }), 200);
    await api.store({ user_id, content: "violin cello" });
    await untilReady(user_id);
    expect(await statuses(user_id)).toEqual({ "violin cello": "ready" });
  });

  it("200: of a batch only what was not embedded is pending", async () => {
    const user_id = uniqueName("user");
    const memories = Array.from({ length: 12 }, (_, n) => ({
      content: n < 8 ? `good ${String(n)}` : `bad ${String(n)}`,
    }));
    embedder.refuses = (text) => text.startsWith("bad");
    bodyOf(await api.request.post("/v1/memories/batch").send({ user_id, memories }), 200);
    const found = await statuses(user_id);
    for (const { content } of memories) expect(found[content]).toBe(content.startsWith("good") ? "ready" : "pending");
    embedder.setDown(false);
    await untilReady(user_id);
  });

  it("does not keep others waiting when the provider will never take it", async () => {
    const [poisoned, user_id] = [uniqueName("user"), uniqueName("user")];
    embedder.refuses = (text) => text.includes("poison");
    await api.store({ user_id: poisoned, content: "poison" });
    embedder.delayMs = 200;
    const { embedding_status } = await api.store({ user_id, content: "zebra" });
    embedder.delayMs = 0;
    expect(embedding_status).toBe("pending");
    await untilReady(user_id);
    expect(await statuses(poisoned)).toEqual({ poison: "pending" });
  });

  it("is embedded by the next process when this one ends first", async () => {
    const user_id = uniqueName("user");
    const down = new WordEmbedder();
    down.setDown(true);
    const first = await startApi({ db: database.db, embedder: down });
    expect((await first.store({ user_id, content: "zebra" })).embedding_status).toBe("pending");
    await first.close();
    const second = await startApi({ db: database.db, embedder: new WordEmbedder() });
    await untilReady(user_id);
    await second.close();
  });
});

describe("a search while the provider is down", () => {
  it("503: says so, with the request id, and is answered again once it is back", async () => {
    const user_id = uniqueName("user");
    await api.store({ user_id, content: "zebra" });
    embedder.setDown(true);
    for (const path of ["/v1/memories/search", "/v1/memories/search/fast"]) {
      const reply = await api.request.post(path).set("X-Request-ID", "job-9").send({ user_id, query: "zebra" });
      expect(problemOf(reply, "embedding_unavailable").request_id).toBe("job-9");
      expect(reply.headers["retry-after"]).toBe("1");
    }
    embedder.setDown(false);
    expect((await api.search({ user_id, query: "zebra" })).count).toBe(1);
  });
});

async function untilAllReady(user_id: string): Promise<void> {
  const explained = { user_id, query: "letter", gate_mode: "off", limit: 100, explain: true };
  await until(async () => {
    const decisions = (await api.search(explained)).filter_decisions ?? [];
    return decisions.length > 0 && decisions.every((each) => each.semantic_similarity !== null);
  });
}
