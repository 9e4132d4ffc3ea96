import type { Queryable } from "../db/database.js";
import { insertReceipt } from "../db/queries/receipts.js";
import { lockScopeHead, type ScopeHead } from "../db/queries/scope-heads.js";
import { replay, ScopeWrite, type Once, type WriteDeps, type Written } from "./write-in-scope.js";

export interface SpanningSteps<Plan, Result> {
  /**
   * What there is to do in the scope in sight; undefined for nothing. It is asked without the lock, so that a scope with
   * nothing to do is left alone, and again with it.
   */
  readonly plan: (tx: Queryable, scopeId: number) => Promise<Plan | undefined>;
  /** Looks at everything that is planned before anything is written; may throw. */
  readonly check: (plans: readonly PlannedWrite<Plan>[]) => void;
  readonly apply: (write: ScopeWrite, plan: Plan) => Promise<void>;
  /** What becomes the receipt, as JSON. */
  readonly conclude: () => Result;
}

export interface PlannedWrite<Plan> {
  readonly scopeId: number;
  readonly plan: Plan;
}

/**
 * Runs one write over several scopes, all or nothing, with events in each. `scopeIds` ascend, so that two such writes
 * never wait for each other; the first scope keeps the receipt. Throws as `writeInScope` does.
 */
export async function writeAcrossScopes<Plan, Result>(
  deps: WriteDeps,
  target: { readonly scopeIds: readonly [number, ...number[]]; readonly once: Once | undefined },
  steps: SpanningSteps<Plan, Result>,
): Promise<Written<Result>> {
  const { scopeIds, once } = target;
  const [home] = scopeIds;
  const before = await replay<Result>(deps, deps.db.inScope(home), { scopeId: home, once });
  if (before !== undefined) return before;
  return await deps.db.acrossScopes(async (tx) => {
    const planned: (PlannedWrite<Plan> & { readonly head: ScopeHead })[] = [];
    for (const scopeId of scopeIds) {
      await tx.enter(scopeId);
      if (scopeId !== home && (await steps.plan(tx, scopeId)) === undefined) continue;
      const head = await lockScopeHead(tx, scopeId);
      const meanwhile = scopeId === home ? await replay<Result>(deps, tx, { scopeId, once }) : undefined;
      if (meanwhile !== undefined) return meanwhile;
      const plan = await steps.plan(tx, scopeId);
      if (plan !== undefined) planned.push({ scopeId, plan, head });
    }
    steps.check(planned);
    const at = deps.clock();
    for (const { scopeId, plan, head } of planned) {
      await tx.enter(scopeId);
      const write = new ScopeWrite(tx, scopeId, { head, at });
      await steps.apply(write, plan);
      await write.finish();
    }
    const result = steps.conclude();
    await tx.enter(home);
    if (once !== undefined) await insertReceipt(tx, home, { ...once, result, at });
    return { result, replayed: false };
  });
}
