import { loadTokenCounter } from "../core/count-tokens.js";
import type { Memory } from "../core/memory.js";
import { packContext as packInSteps, type PackedContext } from "../core/pack-context.js";
import { turnTaker } from "./take-turns.js";

/** {@link packInSteps} with turns for others in between: a hundred memories of 64 KiB take seconds to count. */
export async function packContext(
  memories: readonly Memory[],
  tokenBudget: number | undefined,
): Promise<PackedContext<Memory>> {
  const steps = packInSteps(memories, tokenBudget ?? null, await loadTokenCounter());
  const turn = turnTaker();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await turn();
  }
}
