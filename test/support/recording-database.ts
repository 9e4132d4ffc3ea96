import type { Database } from "../../src/db/database.js";
import { numbered, type Sql } from "../../src/db/sql.js";

export interface Recorded {
  /** The statement with `$1`, `$2`, …, or what was done beside statements: `begin`, `in scope 7`. */
  readonly text: string;
  readonly values: readonly unknown[];
}

/** The same database, which writes down all that is asked of it, in order. */
export function recording(db: Database): { readonly db: Database; readonly log: Recorded[] } {
  const log: Recorded[] = [];
  return { db: watch(db, log), log };
}

type Callback = (inner: object) => unknown;

function watch<T extends object>(target: T, log: Recorded[]): T {
  return new Proxy(target, {
    get(_target, name) {
      const member = Reflect.get(target, name, target) as unknown;
      if (typeof member !== "function") return member;
      return (...args: unknown[]): unknown => {
        const [first] = args;
        if (name === "run") log.push({ text: numbered(first as Sql), values: (first as Sql).values });
        if (name === "script") log.push({ text: String(first), values: [] });
        if (name === "inScope") {
          log.push({ text: `in scope ${String(first)}`, values: [] });
          return watch(member.apply(target, args) as object, log);
        }
        if (name !== "transaction") return member.apply(target, args) as unknown;
        log.push({ text: "begin", values: [] });
        return member.call(target, (inner: object) => (first as Callback)(watch(inner, log))) as unknown;
      };
    },
  });
}
