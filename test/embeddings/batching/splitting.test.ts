import { afterEach, describe, expect, it } from "@jest/globals";
import { executeEmbeddingBatchesWithRetry } from "../../../src/embeddings/batching/execute-embedding-batches-with-retry.js";
import { httpProvider, type HttpProvider } from "../../../src/embeddings/remote/http-provider.js";
import {
  type EmbeddingServer,
  type EmbeddingServerOptions,
  startEmbeddingServer,
} from "../../support/embedding-server.js";
import { failedRun } from "../../support/failed-run.js";

let server: EmbeddingServer;

afterEach(() => server.close());

async function providerOf(options: EmbeddingServerOptions): Promise<HttpProvider> {
  server = await startEmbeddingServer(options);
  return httpProvider("openai", { baseUrl: server.openAiUrl, model: "m" });
}

const texts = (count: number): string[] => Array.from({ length: count }, (_, index) => `text number ${String(index)}`);
const sizes = (): number[] => server.requests.map((request) => request.texts.length);

describe("a request that is too large", () => {
  it("is split at the middle after a 413, left before right, duplicates still sent once", async () => {
    const provider = await providerOf({ maxBytes: 70 });
    const inputs = ["first", "second", "first", "third", "second"];
    const { embedded, receipt } = await executeEmbeddingBatchesWithRetry(provider, inputs);
    expect(embedded).toHaveLength(5);
    expect(sizes()).toEqual([3, 2, 1]);
    expect(receipt).toMatchObject({
      ...{ planned_batches: 1, requests: 3, successful_batches: 2, split_batches: 1, retries: 0 },
      ...{ batch_size_histogram: { "1": 1, "2": 1 }, deduplicated_inputs: 2 },
    });
  });

  const openAi = {
    error: { message: "array too long", type: "invalid_request_error", code: "array_above_max_length" },
  };
  const tokens = { error: { message: "Requested 1 tokens", type: "max_tokens_per_request", code: null } };
  const mistral = { object: "error", message: "split", type: "invalid_request_prompt", param: null, code: "3210" };
  const pydantic = { detail: [{ type: "too_long", loc: ["body", "input"], msg: "List", ctx: { max_length: 10 } }] };
  it.each([
    [400, "OpenAI", openAi],
    [400, "OpenAI on tokens", tokens],
    [400, "Mistral", mistral],
    [422, "FastAPI", pydantic],
    [413, "text-embeddings-inference", { error: "batch size 32 > maximum", error_type: "Validation" }],
    [431, "a gateway", { code: "TooManyItems" }],
  ])("is split by the code of a provider that takes 10 items: %i of %s", async (code, _, body) => {
    const provider = await providerOf({ maxItems: { count: 10, status: code, body } });
    const { embedded, receipt } = await executeEmbeddingBatchesWithRetry(provider, texts(32));
    expect(embedded).toHaveLength(32);
    expect(sizes()).toEqual([32, 16, 8, 8, 16, 8, 8]);
    expect(receipt).toMatchObject({ split_batches: 3, retries: 0, batch_size_histogram: { "8": 4 } });
  });

  it.each([
    [400, { error: { message: "too many items: max batch size is 10", code: "InvalidParameter" } }],
    [422, { detail: "too many inputs, timeout" }],
    [400, { error: "array_above_max_length" }],
  ])("is not split for what only a message says: %i %j", async (code, body) => {
    const provider = await providerOf({ maxItems: { count: 10, status: code, body } });
    const { error } = await failedRun(provider, texts(32));
    expect(error).toMatchObject({ kind: "batch_refused", position: 0 });
    expect(sizes()).toEqual([32]);
  });

  it("makes at most 2n - 1 requests, and names the input that is left", async () => {
    const provider = await providerOf({ maxBytes: 1 });
    const { error, receipts } = await failedRun(provider, texts(8));
    expect(error).toMatchObject({ kind: "input_refused", reason: "payload_too_large", position: 0 });
    expect(sizes()).toEqual([8, 4, 2, 1]);
    expect(receipts).toEqual([error.receipt]);
  });

  it("isolates 128 KB of poison among 100 texts", async () => {
    const provider = await providerOf({ maxBytes: 100_000 });
    const inputs = texts(100);
    inputs[57] = "poison ".repeat(18_725);
    const { error } = await failedRun(provider, inputs, { maxChars: 200_000 });
    expect(error).toMatchObject({ kind: "input_refused", reason: "payload_too_large", position: 57 });
    expect(error.receipt).toMatchObject({ planned_batches: 4, successful_batches: 4, split_batches: 5, retries: 0 });
    const { embedded } = await executeEmbeddingBatchesWithRetry(provider, inputs.toSpliced(57, 1));
    expect(embedded).toHaveLength(99);
  });
});
