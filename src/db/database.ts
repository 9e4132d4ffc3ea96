import type { Sql } from "./sql.js";

/** Where one statement can be run. */
export interface Runnable {
  /** Runs one statement; resolves with its rows. Rejects with the driver's error (SQLSTATE in `code`). */
  run<Row extends object>(statement: Sql): Promise<Row[]>;
}

/** Where statements can be run: the pool, or the connection of a transaction. */
export interface Queryable extends Runnable {
  /** Runs a text of several statements without parameters: migrations. */
  script(text: string): Promise<void>;
}

/** Statements under row level security: as the application's role, with one scope's rows in sight and no others. */
export interface ScopedDatabase extends Runnable {
  /** Commits when `work` resolves, rolls back when it rejects. */
  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T>;
  /** A transaction that reads only, and sees the scope as it is at its first statement however long it lasts. */
  snapshot<T>(work: (tx: Runnable) => Promise<T>): Promise<T>;
}

/** A transaction under row level security that goes from scope to scope; before the first `enter` it sees none. */
export interface SpanningTransaction extends Queryable {
  /** From now on this scope's rows are in sight, and no others. */
  enter(scopeId: number): Promise<void>;
}

/** The one way to Postgres, whether it is a server behind a pool or the embedded one. */
export interface Database extends Queryable {
  readonly kind: "postgres" | "embedded";
  /** What and where, without credentials, for the start-up log. */
  readonly description: string;
  /** Commits when `work` resolves, rolls back when it rejects. Scoped tables are out of its sight. */
  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T>;
  inScope(scopeId: number): ScopedDatabase;
  /** One transaction over several scopes, all or nothing: whoever locks their heads does so in ascending order of id. */
  acrossScopes<T>(work: (tx: SpanningTransaction) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** How to open a database; `memory` is the embedded one without a folder, from a dump or empty. */
export type DatabaseSettings =
  | {
      readonly kind: "postgres";
      readonly url: string;
      readonly poolMax: number;
      /** Role that scoped statements run as; default `memgate_app`. */
      readonly appRole?: string;
      /** Told of a lost idle connection; the pool itself goes on. */
      readonly onError?: (error: Error) => void;
    }
  | { readonly kind: "embedded"; readonly dataDir: string; readonly appRole?: string }
  | { readonly kind: "memory"; readonly dump?: Blob; readonly appRole?: string };
