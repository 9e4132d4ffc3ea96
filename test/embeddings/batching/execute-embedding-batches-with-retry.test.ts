import { afterEach, describe, expect, it } from "@jest/globals";
import { executeEmbeddingBatchesWithRetry } from "../../../src/embeddings/batching/execute-embedding-batches-with-retry.js";
import type { BatchingReceipt } from "../../../src/embeddings/batching/receipt.js";
import { httpProvider, type HttpProvider } from "../../../src/embeddings/remote/http-provider.js";
import { failedRun } from "../../support/failed-run.js";
import { bagOfWords } from "../../support/bag-of-words.js";
import {
  type EmbeddingServer,
  type EmbeddingServerOptions,
  type Fault,
  startEmbeddingServer,
} from "../../support/embedding-server.js";

let server: EmbeddingServer;

afterEach(() => server.close());

async function providerOf(options: EmbeddingServerOptions = {}): Promise<HttpProvider> {
  server = await startEmbeddingServer(options);
  return httpProvider("openai", { baseUrl: server.openAiUrl, model: "m", apiKey: "sk-secret" });
}

const texts = (count: number): string[] => Array.from({ length: count }, (_, index) => `text number ${String(index)}`);
const sizes = (): number[] => server.requests.map((request) => request.texts.length);
const status = (code: number, body?: unknown): Fault => ({ kind: "status", status: code, body });

describe("a run", () => {
  it("sends each text once, in order, and gives every input its vector", async () => {
    const provider = await providerOf();
    const inputs = ["b c", " a", "b c", "d", "a"];
    const { embedded, receipt } = await executeEmbeddingBatchesWithRetry(provider, inputs, { batchSize: 2 });
    expect(server.requests.map((request) => request.body.input)).toEqual([["b c", "a"], "d"]);
    expect(embedded.map(({ vector }) => [...vector])).toEqual(
      inputs.map((text) => [...Float32Array.from(bagOfWords(text.trim(), 64))]),
    );
    expect(embedded[0]?.vector).not.toBe(embedded[2]?.vector);
    expect(receipt).toEqual({
      planned_batches: 2,
      requests: 2,
      successful_batches: 2,
      split_batches: 0,
      retries: 0,
      batch_size_histogram: { "1": 1, "2": 1 },
      elapsed_ms: expect.any(Number),
      inputs_per_second: 5000 / receipt!.elapsed_ms,
      provider: "openai",
      model: "m",
      max_request_bytes: 262_144,
      limit_source: "default",
      truncated_inputs: 0,
      deduplicated_inputs: 2,
    });
  });

  it("has neither vectors nor a receipt for no inputs", async () => {
    expect(await executeEmbeddingBatchesWithRetry(await providerOf(), [])).toEqual({ embedded: [] });
    expect(server.requests).toHaveLength(0);
  });

  it("keeps every body below the ceiling, whatever is in the texts", async () => {
    const provider = await providerOf();
    const hard = ["\u0001".repeat(30), '"\\'.repeat(40), "😀".repeat(50), "家族".repeat(40), "\ud800 alone", "é\n\t"];
    const inputs = Array.from({ length: 60 }, (_, index) => `${hard[index % hard.length]!}${String(index)}`);
    const { embedded, receipt } = await executeEmbeddingBatchesWithRetry(provider, inputs, { maxRequestBytes: 450 });
    expect(embedded).toHaveLength(60);
    expect(Math.max(...server.requests.map(({ bytes }) => bytes))).toBeLessThanOrEqual(450);
    expect(server.requests.length).toBeLessThan(60);
    expect(server.requests.flatMap((request) => request.texts)).toEqual(inputs.map((text) => text.toWellFormed()));
    expect(receipt).toMatchObject({ max_request_bytes: 450, limit_source: "caller", requests: server.requests.length });
  });

  it("sends 32 texts of 3,200 characters in one request", async () => {
    const inputs = texts(32).map((text) => text.padEnd(3200, " and so on"));
    const { receipt } = await executeEmbeddingBatchesWithRetry(await providerOf(), inputs);
    expect(receipt).toMatchObject({ requests: 1, batch_size_histogram: { "32": 1 } });
  });

  it("says which inputs were cut, and how many", async () => {
    const options = { maxChars: 4 };
    const { embedded, receipt } = await executeEmbeddingBatchesWithRetry(
      await providerOf(),
      ["four", "five!"],
      options,
    );
    expect(embedded.map(({ truncated }) => truncated)).toEqual([false, true]);
    expect(receipt).toMatchObject({ truncated_inputs: 1 });
  });
});

describe("a run that is wrong", () => {
  it.each([0, -1, 1.5, Number.POSITIVE_INFINITY, Number.NaN])("sends nothing with a ceiling of %d", async (ceiling) => {
    const provider = await providerOf();
    for (const name of ["maxRequestBytes", "batchSize", "maxChars"]) {
      const { error } = await failedRun(provider, ["fine"], { [name]: ceiling });
      expect(error).toMatchObject({ kind: "invalid_options", detail: expect.stringContaining(name) });
    }
    expect(server.requests).toHaveLength(0);
  });

  it.each([
    ["blank", "  \n", "blank"],
    ["too large", "x".repeat(600), "too_large"],
  ])("sends nothing when its last input is %s", async (_, text, reason) => {
    const provider = await providerOf();
    const inputs = [...texts(40), text];
    const { error, receipts } = await failedRun(provider, inputs, { maxRequestBytes: 450 });
    expect(error).toMatchObject({ kind: "input_refused", reason, position: 40, code: "embedding_unavailable" });
    expect(receipts).toEqual([]);
    expect(server.requests).toHaveLength(0);
  });
});

describe("a provider that does not answer in time", () => {
  it("gets the batch in halves", async () => {
    const provider = await providerOf();
    server.fail({ kind: "hang" }, { kind: "hang" });
    const { embedded, receipt } = await executeEmbeddingBatchesWithRetry(provider, texts(3), { timeoutMs: 150 });
    expect(embedded).toHaveLength(3);
    expect(sizes()).toEqual([3, 2, 1, 1, 1]);
    expect(receipt).toMatchObject({ requests: 5, successful_batches: 3, split_batches: 2, retries: 0 });
  });

  it("gets a single text again, and is unavailable when the attempts are used up", async () => {
    const provider = await providerOf();
    server.fail({ kind: "hang" }, { kind: "hang" });
    const { error } = await failedRun(provider, ["alone"], { timeoutMs: 100, retries: 1 });
    expect(error).toMatchObject({ kind: "provider_unavailable", detail: "openai did not answer within 100 ms" });
    expect(error.receipt).toMatchObject({ requests: 2, retries: 1, split_batches: 0, inputs_per_second: 0 });
  });

  it("is given up when the run is out of time", async () => {
    const provider = await providerOf();
    server.fail({ kind: "hang" });
    const { error } = await failedRun(provider, texts(3), { deadlineMs: 100 });
    expect(error).toMatchObject({ kind: "provider_unavailable", detail: expect.stringContaining("within 100 ms") });
    expect(error.receipt).toMatchObject({ requests: 1 });
  });
});

describe("a failure that may pass", () => {
  it("is not tried again before the server's Retry-After", async () => {
    const provider = await providerOf();
    server.fail({ kind: "status", status: 429, retryAfter: "1" });
    const { receipt } = await executeEmbeddingBatchesWithRetry(provider, texts(3));
    expect(receipt).toMatchObject({ requests: 2, retries: 1, successful_batches: 1, split_batches: 0 });
    expect(receipt?.elapsed_ms).toBeGreaterThanOrEqual(1000);
  });

  it("is final when the server's pause is longer than the run may take", async () => {
    const provider = await providerOf();
    server.fail({ kind: "status", status: 503, retryAfter: "20" });
    const { error } = await failedRun(provider, texts(3), { deadlineMs: 10_000 });
    expect(error).toMatchObject({ kind: "provider_unavailable", detail: "openai answered 503" });
    expect(server.requests).toHaveLength(1);
  });

  it("is not split, whatever its body says", async () => {
    const provider = await providerOf();
    server.fail(status(500, { error: { message: "upstream timeout", code: "too_many_items" } }), { kind: "reset" });
    const { receipt } = await executeEmbeddingBatchesWithRetry(provider, texts(3));
    expect(sizes()).toEqual([3, 3, 3]);
    expect(receipt).toMatchObject({ requests: 3, retries: 2, split_batches: 0 });
  });
});

describe("a failure that stays", () => {
  const answers: readonly [string, Fault, string][] = [
    ["a redirect, which is not followed", status(307), "provider_unavailable"],
    ["401", status(401), "provider_unavailable"],
    ["403", status(403), "provider_unavailable"],
    ["404", status(404), "provider_unavailable"],
    ["a setting that is refused", status(400, { error: { param: "dimensions" } }), "provider_unavailable"],
    ["a vector that is missing", { kind: "short_reply" }, "bad_reply"],
    ["a number that is none", { kind: "nan" }, "bad_reply"],
    ["an index that is there twice", { kind: "repeated_index" }, "bad_reply"],
    ["no JSON", { kind: "not_json" }, "bad_reply"],
  ];
  it.each(answers)("ends the run at once: %s", async (_, fault, kind) => {
    const provider = await providerOf();
    server.fail(fault);
    const { error, receipts } = await failedRun(provider, texts(2));
    expect(error.kind).toBe(kind);
    expect(JSON.stringify([error, String(error), receipts])).not.toMatch(/text number|sk-secret|127\.0\.0\.1/);
    expect(server.requests).toHaveLength(1);
  });

  it.each([400, 422])("is the input's own fault where it was sent alone: %i", async (code) => {
    const provider = await providerOf();
    server.fail(status(code), status(code));
    expect((await failedRun(provider, ["alone"])).error).toMatchObject({
      ...{ kind: "input_refused", reason: "refused_by_provider", position: 0 },
    });
    expect((await failedRun(provider, texts(2))).error).toMatchObject({ kind: "batch_refused" });
  });

  it("gives nothing of the batches before, and reports them", async () => {
    const provider = await providerOf();
    server.fail({ kind: "delay", ms: 0 }, status(401));
    const { error } = await failedRun(provider, texts(6), { batchSize: 2 });
    expect(error).toMatchObject({ position: 2, receipt: { planned_batches: 3, requests: 2, successful_batches: 1 } });
    expect(error.receipt?.inputs_per_second).toBeGreaterThan(0);
  });

  it("is a change of dimensions within the run", async () => {
    const provider = await providerOf();
    server.fail({ kind: "delay", ms: 0 }, { kind: "dimensions", dimensions: 65 });
    const { error } = await failedRun(provider, texts(4), { batchSize: 2 });
    expect(error).toMatchObject({ kind: "bad_reply", detail: expect.stringMatching(/65 dimensions instead of 64/) });
  });

  it("is typed where Ollama says that a text is too long for the model", async () => {
    await providerOf();
    const ollama = httpProvider("ollama", { baseUrl: server.url, model: "m" });
    server.fail(status(400, { error: "the input length exceeds the context length" }));
    expect((await failedRun(ollama, ["long"])).error).toMatchObject({
      kind: "input_refused",
      reason: "context_too_long",
    });
  });
});

describe("a reply in another order", () => {
  it("is put in order by its index", async () => {
    const provider = await providerOf();
    const { embedded } = await executeEmbeddingBatchesWithRetry(provider, texts(3));
    server.fail({ kind: "reordered" });
    expect((await executeEmbeddingBatchesWithRetry(provider, texts(3))).embedded).toEqual(embedded);
  });
});

describe("a caller who gives up", () => {
  it("hears its own reason, and what was done until then", async () => {
    const provider = await providerOf();
    server.fail({ kind: "delay", ms: 0 }, { kind: "hang" });
    const receipts: BatchingReceipt[] = [];
    const running = executeEmbeddingBatchesWithRetry(provider, texts(4), {
      ...{ batchSize: 2, signal: AbortSignal.timeout(200) },
      onReceipt: (receipt) => receipts.push(receipt),
    });
    await expect(running).rejects.toMatchObject({ name: "TimeoutError" });
    expect(receipts).toEqual([expect.objectContaining({ requests: 2, successful_batches: 1 })]);
  });
});
