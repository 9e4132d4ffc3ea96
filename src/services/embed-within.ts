import type { EmbeddedText, Embedder } from "../embeddings/embedder.js";

/**
 * Embeds texts in batches until `waitMs` is over; a text whose batch was not done by then, or failed, is null.
 * It never rejects: a memory without a vector is still stored, and the embedding loop finds it.
 */
export async function embedWithin(
  embedder: Embedder,
  texts: readonly string[],
  waitMs: number,
): Promise<(EmbeddedText | null)[]> {
  const done: (EmbeddedText | null)[] = [];
  const signal = AbortSignal.timeout(waitMs);
  try {
    for (let start = 0; start < texts.length && !signal.aborted; start += embedder.batchSize) {
      done.push(...(await embedder.embedDocuments(texts.slice(start, start + embedder.batchSize), { signal })));
    }
  } catch {
    // Out of time or out of service: what is missing is the backlog.
  }
  return texts.map((_, index) => done[index] ?? null);
}
