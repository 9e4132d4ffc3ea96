import type { Database } from "../../src/db/database.js";
import { numbered, type Sql } from "../../src/db/sql.js";

export interface Recorded {
  /** The statement with `$1`, `$2`, …, or what was done beside statements: `transaction`, `inScope 7`. */
  readonly text: string;
  readonly values: readonly unknown[];
  /** The statement itself, to run it again. */
  readonly statement?: Sql;
}

/** The same database, which writes down all that is asked of it, in order. */
export function recording(db: Database): { readonly db: Database; readonly log: Recorded[] } {
  const log: Recorded[] = [];
  return { db: watch(db, log), log };
}

type Work = (inner: object) => unknown;

function watch<T extends object>(target: T, log: Recorded[]): T {
  return new Proxy(target, {
    get(_target, name) {
      const member = Reflect.get(target, name, target) as unknown;
      if (typeof member !== "function") return member;
      return (...args: unknown[]): unknown => {
        log.push(record(String(name), args[0]));
        const watched = args.map((arg) =>
          typeof arg === "function" ? (inner: object) => (arg as Work)(watch(inner, log)) : arg,
        );
        const result = member.apply(target, watched) as unknown;
        return name === "inScope" ? watch(result as object, log) : result;
      };
    },
  });
}

function record(name: string, first: unknown): Recorded {
  if (name === "run") return { text: numbered(first as Sql), values: (first as Sql).values, statement: first as Sql };
  return { text: typeof first === "function" ? name : `${name} ${String(first)}`, values: [] };
}
