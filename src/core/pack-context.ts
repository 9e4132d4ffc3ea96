import type { CountTokens } from "./count-tokens.js";
import { CONTEXT_FOOT, CONTEXT_HEAD, renderBlock, type CitedMemory } from "./render-context.js";

/** A memory that is in the context. */
export interface ContextEntry<M> {
  /** 1, 2, 3, … in the order of the context. */
  readonly citation: number;
  readonly memory: M;
  /** Of its block, header included. */
  readonly tokens: number;
}

/** Memories as one text for a prompt. */
export interface PackedContext<M> {
  readonly entries: readonly ContextEntry<M>[];
  /** Empty when no memory is in it. */
  readonly injectionText: string;
  /** Of the whole text. */
  readonly tokens: number;
  /** Null: there was none. */
  readonly tokenBudget: number | null;
  /** Ids of the memories that did not fit, in the order given. */
  readonly omitted: readonly string[];
}

/**
 * Takes whole memories in the order given, each that still fits into `tokenBudget`; smaller ones after one that does not
 * fit may still go in. The tokens are those of the whole text. It yields after each memory, so that a caller can give
 * others a turn: counting one of 64 KiB can take 70 ms.
 */
export function* packContext<M extends CitedMemory>(
  memories: readonly M[],
  tokenBudget: number | null,
  count: CountTokens,
): Generator<undefined, PackedContext<M>> {
  const budget = tokenBudget ?? Infinity;
  const frame = count(CONTEXT_HEAD) + count(CONTEXT_FOOT);
  const entries: ContextEntry<M>[] = [];
  const blocks: string[] = [];
  const omitted: string[] = [];
  let used = frame;
  for (const memory of memories) {
    const citation = entries.length + 1;
    const block = renderBlock(citation, memory);
    const tokens = count(block, budget - used);
    if (used + tokens <= budget) {
      entries.push({ citation, memory, tokens });
      blocks.push(block);
      used += tokens;
    } else {
      omitted.push(memory.id);
    }
    yield;
  }
  const empty = entries.length === 0;
  return {
    entries,
    injectionText: empty ? "" : CONTEXT_HEAD + blocks.join("") + CONTEXT_FOOT,
    tokens: empty ? 0 : used,
    tokenBudget,
    omitted,
  };
}
