import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { createEmbedder } from "../../../src/embeddings/create-embedder.js";
import type { Embedder } from "../../../src/embeddings/embedder.js";
import { embeddedSettings } from "../../support/embedded-settings.js";

const workerUrl = new URL("../../support/scripted-embedding-worker.js", import.meta.url);
const texts = (count: number): string[] => Array.from({ length: count }, (_, index) => `text ${String(index)}`);

let embedder: Embedder;

beforeEach(async () => {
  embedder = await createEmbedder(embeddedSettings({ workerUrl }));
});

afterEach(() => embedder.close());

/** The thread that embedded a text, and how many texts its slice had. */
async function where(text: string): Promise<{ thread: number | undefined; slice: number | undefined }> {
  const [thread, slice] = await embedder.embedQuery(text);
  return { thread, slice };
}

describe("the worker of the embedded model", () => {
  it("is one thread for all calls, and gets no more than 16 texts at a time", async () => {
    const embedded = await embedder.embedDocuments(texts(100));
    const { thread } = await where("another call");
    expect(new Set(embedded.map(({ vector }) => vector[0]))).toEqual(new Set([thread]));
    expect(Math.max(...embedded.map(({ vector }) => vector[1] ?? 0))).toBe(16);
  });

  it("gets long texts a few at a time", async () => {
    const embedded = await embedder.embedDocuments(texts(10).map((text) => text.repeat(1000)));
    expect(Math.max(...embedded.map(({ vector }) => vector[1] ?? 0))).toBe(2);
  });

  it("answers a query before the documents that were there first", async () => {
    const done: string[] = [];
    await Promise.all([
      embedder.embedDocuments(texts(200)).then(() => done.push("documents")),
      embedder.embedQuery("query").then(() => done.push("query")),
    ]);
    expect(done).toEqual(["query", "documents"]);
  });

  it.each(["exit", "throw"])("may crash (%s): its call rejects, and the next one has a new thread", async (crash) => {
    const before = await where("fine");
    await expect(embedder.embedDocuments(["fine", crash])).rejects.toMatchObject({ code: "embedding_unavailable" });
    const after = await where("fine");
    expect(after.thread).not.toBe(before.thread);
  });

  it("may crash again and again without harm to the calls behind", async () => {
    const calls = await Promise.allSettled([
      embedder.embedDocuments([...texts(40), "exit"]),
      embedder.embedDocuments(texts(40)),
      embedder.embedDocuments(["exit"]),
      embedder.embedDocuments(texts(40)),
    ]);
    expect(calls.filter((call) => call.status === "rejected").length).toBeGreaterThanOrEqual(2);
    expect(await embedder.embedDocuments(texts(3))).toHaveLength(3);
  });

  it("may fail on a slice and stay", async () => {
    const before = await where("fine");
    await expect(embedder.embedQuery("refuse")).rejects.toMatchObject({ code: "embedding_unavailable" });
    expect((await where("fine")).thread).toBe(before.thread);
  });

  it("drops what is queued when its caller gives up", async () => {
    const caller = new AbortController();
    const start = performance.now();
    const abandoned = embedder.embedDocuments(texts(10_000), { signal: caller.signal });
    caller.abort("gave up");
    await expect(abandoned).rejects.toBe("gave up");
    await embedder.embedDocuments(texts(1));
    expect(performance.now() - start).toBeLessThan(1000);
  });

  it("names the reason when it cannot be started", async () => {
    const missing = new URL("../../support/no-such-worker.js", import.meta.url);
    await expect(createEmbedder(embeddedSettings({ workerUrl: missing }))).rejects.toThrow(/no-such-worker/);
  });
});
