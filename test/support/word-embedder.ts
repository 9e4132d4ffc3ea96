import { setTimeout as sleep } from "node:timers/promises";
import { embeddingUnavailable } from "../../src/core/errors.js";
import type { EmbeddedText, Embedder, EmbeddingSpace, EmbedOptions } from "../../src/embeddings/embedder.js";

export interface WordEmbedderOptions {
  /** Names the space; another model gives the same text another vector. Default `words`. */
  readonly model?: string;
  /** Default 256: two texts without a common word are then about .06 of cosine from orthogonal. */
  readonly dimensions?: number;
  readonly batchSize?: number;
  /** Length of every vector, default 1. */
  readonly norm?: number;
}

/**
 * A real embedder without a model: every word adds 1 or -1 at the place that its hash names (feature hashing), so that
 * texts that share words are near each other and others may be opposed. What goes wrong with it is set on it.
 */
export class WordEmbedder implements Embedder {
  readonly space: EmbeddingSpace;
  readonly runtime = "feature hashing";
  readonly batchSize: number;
  /** The texts of every call of `embedDocuments` so far, failed ones included. */
  readonly calls: (readonly string[])[] = [];
  /** How long each call takes, in ms. */
  delayMs = 0;
  /** A call with such a text fails as if the provider were down. */
  refuses: (text: string) => boolean = () => false;
  /** Thrown as it is by the next calls: what no provider should do. */
  fault: Error | undefined;
  private readonly norm: number;

  constructor(options: WordEmbedderOptions = {}) {
    const { model = "words", dimensions = 256, batchSize = 32, norm = 1 } = options;
    this.space = { provider: "test", model, revision: "", dimensions, recipe: "whole_v1" };
    this.batchSize = batchSize;
    this.norm = norm;
  }

  /** From now on every call fails, or none does. */
  setDown(down: boolean): void {
    this.refuses = () => down;
  }

  refusalOf(): undefined {
    return undefined;
  }

  async embedDocuments(texts: readonly string[], options: EmbedOptions = {}): Promise<EmbeddedText[]> {
    this.calls.push(texts);
    await this.answer(texts, options);
    return texts.map((text) => ({ vector: this.vectorOf(text), truncated: false }));
  }

  async embedQuery(text: string, options: EmbedOptions = {}): Promise<Float32Array> {
    await this.answer([text], options);
    return this.vectorOf(text);
  }

  async close(): Promise<void> {
    await Promise.resolve();
  }

  /** The vector of a text, at once. */
  vectorOf(text: string): Float32Array {
    const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [text];
    const sums = new Float64Array(this.space.dimensions);
    for (const word of words) {
      const code = hash(`${this.space.model} ${word}`);
      const place = (code >>> 1) % sums.length;
      sums[place] = (sums[place] ?? 0) + (code % 2 === 0 ? 1 : -1);
    }
    if (sums.every((sum) => sum === 0)) sums[0] = 1;
    const factor = this.norm / Math.hypot(...sums);
    return Float32Array.from(sums, (sum) => sum * factor);
  }

  private async answer(texts: readonly string[], { signal }: EmbedOptions): Promise<void> {
    if (this.delayMs > 0) await sleep(this.delayMs, undefined, { signal });
    signal?.throwIfAborted();
    if (this.fault !== undefined) throw this.fault;
    if (texts.some((text) => this.refuses(text))) throw embeddingUnavailable("the test provider is down");
  }
}

/** FNV-1a, 32 bits, over UTF-16 units, its bits mixed once more. */
function hash(word: string): number {
  let state = 0x811c9dc5;
  for (let index = 0; index < word.length; index++) {
    state = Math.imul(state ^ word.charCodeAt(index), 0x01000193);
  }
  state = Math.imul(state ^ (state >>> 16), 0x45d9f3b);
  return (state ^ (state >>> 15)) >>> 0;
}
