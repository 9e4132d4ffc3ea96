/**
 * What a program that depends on this package may import: the batching of embedding requests. The server itself is the
 * command `memgate`.
 */
export { EmbeddingError, embeddingErrorOf } from "./embeddings/batching/embedding-error.js";
export type { EmbeddingErrorKind, EmbeddingRefusal, RefusalReason } from "./embeddings/batching/embedding-error.js";
export { executeEmbeddingBatchesWithRetry } from "./embeddings/batching/execute-embedding-batches-with-retry.js";
export type { EmbeddingBatches } from "./embeddings/batching/execute-embedding-batches-with-retry.js";
export type { BatchingOptions } from "./embeddings/batching/options.js";
export { ProviderFailure } from "./embeddings/batching/provider-failure.js";
export type { FailureKind } from "./embeddings/batching/provider-failure.js";
export type {
  CustomEmbeddingProvider,
  EmbeddingEndpoint,
  EmbeddingProvider,
  ProviderReply,
  Purpose,
  RequestSize,
  SendContext,
} from "./embeddings/batching/provider.js";
export type { BatchingReceipt } from "./embeddings/batching/receipt.js";
export { refusalOf } from "./embeddings/batching/refusal-of.js";
export type { EmbeddedText } from "./embeddings/embedder.js";
export { httpProvider } from "./embeddings/remote/http-provider.js";
export type { HttpProvider } from "./embeddings/remote/http-provider.js";
