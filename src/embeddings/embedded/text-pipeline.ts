import { setImmediate as nextEvents } from "node:timers/promises";
import { batchWindows } from "./batch-windows.js";
import type { Encoder } from "./encoder.js";
import type { Lane } from "./messages.js";
import { planText, type TextPlan } from "./plan-text.js";
import { weightedMean } from "./pooling.js";
import type { RunGate } from "./run-gate.js";
import type { WordPieceTokens } from "./tokens.js";
import { Turns } from "./turns.js";

export interface EncodedText {
  /** 384 dimensions, length 1. */
  readonly vector: Float32Array;
  readonly truncated: boolean;
}

interface Parts {
  readonly encoder: Encoder;
  readonly tokens: WordPieceTokens;
  readonly gate: RunGate;
}

/** Turns whole texts into vectors inside the worker, in steps so short that a query can come between them. */
export class TextPipeline {
  private readonly turns = new Turns();

  constructor(private readonly parts: Parts) {}

  async encode(lane: Lane, texts: readonly string[]): Promise<EncodedText[]> {
    const plans = texts.map((text) => planText(text, this.parts.tokens));
    const vectors = await this.encodeWindows(lane, plans);
    let next = 0;
    return plans.map(({ windows, truncated }) => {
      const own = windows.map((window) => ({ vector: vectors[next++], weight: window.ids.length - 2 }));
      return { vector: pool(own), truncated };
    });
  }

  /** Waits for the step under way and frees the model. */
  async release(): Promise<void> {
    await this.turns.run("query", () => this.parts.encoder.release());
  }

  private async encodeWindows(lane: Lane, plans: readonly TextPlan[]): Promise<Float32Array[]> {
    const { encoder, gate } = this.parts;
    const windows = plans.flatMap((plan) => plan.windows);
    const vectors = new Array<Float32Array>(windows.length);
    for (const batch of batchWindows(windows, encoder.batchTokens)) {
      // Messages arrive between turns of the event loop only; without this pause a query would not be seen.
      await nextEvents();
      const plain = batch.map((placed) => placed.window);
      const encoded = await this.turns.run(lane, () => gate.run(() => encoder.encode(plain)));
      batch.forEach(({ position }, index) => {
        const vector = encoded[index];
        if (vector !== undefined) vectors[position] = vector;
      });
    }
    return vectors;
  }
}

/** The vector of a text from those of its windows: their mean by number of tokens. */
function pool(windows: readonly { vector: Float32Array | undefined; weight: number }[]): Float32Array {
  return weightedMean(
    windows.map(({ vector, weight }) => {
      if (vector === undefined) throw new Error("the model returned fewer vectors than windows");
      return { vector, weight };
    }),
  );
}
