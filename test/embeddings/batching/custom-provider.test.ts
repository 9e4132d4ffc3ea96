import { describe, expect, it } from "@jest/globals";
import { executeEmbeddingBatchesWithRetry, ProviderFailure, refusalOf } from "../../../src/index.js";

const vectorsOf = (texts: readonly string[]): number[][] => texts.map((text) => [text.length, 1]);

/** A provider whose first calls throw these errors. */
function failing(...errors: Error[]) {
  const calls: (readonly string[])[] = [];
  const embed = async (texts: readonly string[]): Promise<number[][]> => {
    calls.push(texts);
    const error = errors.shift();
    if (error !== undefined) throw error;
    return await Promise.resolve(vectorsOf(texts));
  };
  return { calls, embed };
}

describe("a custom provider", () => {
  it("is a function, and gets no receipt", async () => {
    const reported: unknown[] = [];
    const provider = failing();
    const done = await executeEmbeddingBatchesWithRetry(provider, ["a", "bb", "a"], {
      onReceipt: (r) => reported.push(r),
    });
    expect(done).toEqual({
      embedded: [1, 2, 1].map((length) => ({ vector: Float32Array.of(length, 1), truncated: false })),
    });
    expect(provider.calls).toEqual([["a", "bb"]]);
    expect(reported).toEqual([]);
  });

  it("has its own caps", async () => {
    const provider = { ...failing(), maxItems: 2, maxChars: 3, prefixes: { document: "d:", query: "q:" } };
    const { embedded } = await executeEmbeddingBatchesWithRetry(provider, ["one", "two", "three"]);
    expect(provider.calls).toEqual([["d:one", "d:two"], ["d:thr"]]);
    expect(embedded.map(({ truncated }) => truncated)).toEqual([false, false, true]);
    expect(refusalOf(provider, "x".repeat(500), { maxRequestBytes: 20 })).toMatchObject({ reason: "too_large" });
    expect(refusalOf(provider, "fine")).toBeUndefined();
  });

  it.each([
    ["a status that may pass", Object.assign(new Error("busy"), { status: 503 })],
    [
      "a broken connection",
      new TypeError("fetch failed", { cause: Object.assign(new Error(), { code: "ECONNRESET" }) }),
    ],
    ["what it says may pass", new ProviderFailure("transient", "busy")],
  ])("is asked again after %s", async (_, error) => {
    const provider = failing(error);
    await executeEmbeddingBatchesWithRetry(provider, ["a", "b"]);
    expect(provider.calls).toHaveLength(2);
  });

  it("gets halves after a 413", async () => {
    const provider = failing(Object.assign(new Error("large"), { status: 413 }));
    await executeEmbeddingBatchesWithRetry(provider, ["a", "b", "c"]);
    expect(provider.calls).toEqual([["a", "b", "c"], ["a", "b"], ["c"]]);
  });

  it("is not asked again after an error that says nothing, and is quoted nowhere", async () => {
    const provider = failing(new Error("cannot embed: my diary"));
    const running = executeEmbeddingBatchesWithRetry({ ...provider, name: "mine" }, ["a", "b"]);
    await expect(running).rejects.toMatchObject({
      ...{ kind: "provider_unavailable", detail: "mine failed", receipt: undefined },
    });
    expect(provider.calls).toHaveLength(1);
  });

  it("is not waited for beyond the timeout, even where it does not heed the signal", async () => {
    const embed = (): Promise<never> => new Promise(() => undefined);
    const running = executeEmbeddingBatchesWithRetry({ embed }, ["a"], { timeoutMs: 50, retries: 0 });
    await expect(running).rejects.toMatchObject({ kind: "provider_unavailable" });
  });
});
