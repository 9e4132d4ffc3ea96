import type { EmbeddedText, Embedder } from "../embeddings/embedder.js";
import type { ServiceDeps } from "./deps.js";

/** The vectors of one text by the id of each filled space; null where it was not embedded in time. */
export type SpaceVectors = ReadonlyMap<number, EmbeddedText | null>;

/** What belongs to a content that is stored already. */
export const NO_VECTORS: SpaceVectors = new Map();

/**
 * Embeds texts in every filled space at once until `writeEmbedWaitMs` is over; what was not done by then, or failed, is
 * null. A memory without a vector is still stored, and the embedding loop finds it.
 */
export async function embedInSpaces(
  deps: Pick<ServiceDeps, "spaces" | "writeEmbedWaitMs">,
  texts: readonly string[],
): Promise<SpaceVectors[]> {
  if (texts.length === 0) return [];
  const spaces = await deps.spaces.filled();
  const signal = AbortSignal.timeout(deps.writeEmbedWaitMs);
  const filled = await Promise.all(
    spaces.map(async ({ id }) => ({ id, vectors: await embedUntil(deps.spaces.embedderOf(id), texts, signal) })),
  );
  return texts.map((_, index) => new Map(filled.map(({ id, vectors }) => [id, vectors[index] ?? null])));
}

/** In batches; it never rejects. */
async function embedUntil(
  opening: Promise<Embedder>,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<EmbeddedText[]> {
  const done: EmbeddedText[] = [];
  try {
    const embedder = await unlessAborted(opening, signal);
    for (let start = 0; start < texts.length && !signal.aborted; start += embedder.batchSize) {
      done.push(...(await embedder.embedDocuments(texts.slice(start, start + embedder.batchSize), { signal })));
    }
  } catch {
    // Out of time or out of service: what is missing is the backlog.
  }
  return done;
}

/** An embedder that is still being opened when the time is over is not waited for. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => {
      reject(new Error("out of time"));
    };
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
