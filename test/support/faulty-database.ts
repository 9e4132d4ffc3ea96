import type { Database, Queryable, Runnable, ScopedDatabase, SpanningTransaction } from "../../src/db/database.js";

/** Thrown in place of, or right after, one step of a database. */
export class StepFault extends Error {
  constructor(step: number) {
    super(`fault at step ${String(step)}`);
  }
}

export interface Faults {
  /** The step that meets the fault, from 1; absent: none does. */
  readonly at?: number;
  /** Before the step is taken, or once it has been. */
  readonly when?: "before" | "after";
  /** What happens there; by default a {@link StepFault} is thrown. The step goes on when it resolves. */
  readonly strike?: (step: number) => Promise<void>;
}

/** What was asked of the database since it was armed. */
export interface Steps {
  /** In order: `run`, `script`, `enter`, `begin` (with entering its scope, where it has one) and `commit`. */
  readonly taken: readonly string[];
  /** Transactions that were committed. */
  readonly commits: number;
}

export interface FaultyDatabase {
  readonly db: Database;
  /** Counts anew, with other faults. */
  arm(faults: Faults): Steps;
}

/**
 * The same database, which counts what is asked of it and lets one step fail. An error before `commit` makes the
 * database roll back; one after it finds everything done, as a lost reply would.
 */
export function faultyDatabase(db: Database, faults: Faults = {}): FaultyDatabase {
  const counter = new Counter(faults);
  return { db: watchDatabase(db, counter), arm: (next) => counter.arm(next) };
}

class Counter {
  private steps: { taken: string[]; commits: number } = { taken: [], commits: 0 };

  constructor(private faults: Faults) {}

  arm(faults: Faults): Steps {
    this.faults = faults;
    this.steps = { taken: [], commits: 0 };
    return this.steps;
  }

  /** Counts a step; resolves with its number. */
  async before(name: string): Promise<number> {
    const step = this.steps.taken.push(name);
    await this.strike(step, "before");
    return step;
  }

  async after(step: number): Promise<void> {
    if (this.steps.taken[step - 1] === "commit") this.steps.commits += 1;
    await this.strike(step, "after");
  }

  private async strike(step: number, when: "before" | "after"): Promise<void> {
    const { at, when: wanted = "before", strike = throwFault } = this.faults;
    if (step === at && when === wanted) await strike(step);
  }
}

async function throwFault(step: number): Promise<void> {
  await Promise.reject(new StepFault(step));
}

function watchDatabase(db: Database, counter: Counter): Database {
  return {
    ...watchQueryable(db, counter),
    kind: db.kind,
    description: db.description,
    transaction: async (work) => {
      return await enclose(
        counter,
        async (inner) => await db.transaction(inner),
        async (tx: Queryable) => await work(watchQueryable(tx, counter)),
      );
    },
    inScope: (scopeId) => watchScope(db.inScope(scopeId), counter),
    acrossScopes: async (work) => {
      return await enclose(
        counter,
        async (inner) => await db.acrossScopes(inner),
        async (tx: SpanningTransaction) => await work(watchSpanning(tx, counter)),
      );
    },
    close: async () => {
      await db.close();
    },
  };
}

function watchScope(scope: ScopedDatabase, counter: Counter): ScopedDatabase {
  return {
    run: watchRunnable(scope, counter),
    transaction: async (work) => {
      return await enclose(
        counter,
        async (inner) => await scope.transaction(inner),
        async (tx: Queryable) => await work(watchQueryable(tx, counter)),
      );
    },
    snapshot: async (work) => {
      return await enclose(
        counter,
        async (inner) => await scope.snapshot(inner),
        async (tx: Runnable) => await work({ run: watchRunnable(tx, counter) }),
      );
    },
  };
}

/** A transaction of any kind: its begin, its work and its commit. */
async function enclose<Tx, T>(
  counter: Counter,
  open: (inner: (tx: Tx) => Promise<T>) => Promise<T>,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const begin = await counter.before("begin");
  let commit = 0;
  const result = await open(async (tx) => {
    await counter.after(begin);
    const done = await work(tx);
    commit = await counter.before("commit");
    return done;
  });
  await counter.after(commit);
  return result;
}

function watchSpanning(tx: SpanningTransaction, counter: Counter): SpanningTransaction {
  return {
    ...watchQueryable(tx, counter),
    enter: async (scopeId) => {
      const step = await counter.before("enter");
      await tx.enter(scopeId);
      await counter.after(step);
    },
  };
}

function watchQueryable(target: Queryable, counter: Counter): Queryable {
  return {
    run: watchRunnable(target, counter),
    script: async (text) => {
      const step = await counter.before("script");
      await target.script(text);
      await counter.after(step);
    },
  };
}

function watchRunnable(target: Runnable, counter: Counter): Runnable["run"] {
  return async <Row extends object>(...args: Parameters<Runnable["run"]>) => {
    const step = await counter.before("run");
    const rows = await target.run<Row>(...args);
    await counter.after(step);
    return rows;
  };
}
