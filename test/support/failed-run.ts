import { EmbeddingError } from "../../src/embeddings/batching/embedding-error.js";
import { executeEmbeddingBatchesWithRetry } from "../../src/embeddings/batching/execute-embedding-batches-with-retry.js";
import type { BatchingOptions } from "../../src/embeddings/batching/options.js";
import type { EmbeddingProvider } from "../../src/embeddings/batching/provider.js";
import type { BatchingReceipt } from "../../src/embeddings/batching/receipt.js";

/** The error of a run that has to fail, and the receipt that was reported. */
export async function failedRun(
  provider: EmbeddingProvider,
  inputs: readonly string[],
  options: BatchingOptions = {},
): Promise<{ error: EmbeddingError; receipts: BatchingReceipt[] }> {
  const receipts: BatchingReceipt[] = [];
  const onReceipt = (receipt: BatchingReceipt): void => void receipts.push(receipt);
  const error: unknown = await executeEmbeddingBatchesWithRetry(provider, inputs, { ...options, onReceipt }).then(
    () => new Error("the run succeeded"),
    (reason: unknown) => reason,
  );
  if (!(error instanceof EmbeddingError)) throw error;
  return { error, receipts };
}
