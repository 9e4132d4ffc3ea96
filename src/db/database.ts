import type { Sql } from "./sql.js";

/** Where one statement can be run: the pool, or the connection of a transaction. */
export interface Queryable {
  /** Runs one statement; resolves with its rows. Rejects with the driver's error (SQLSTATE in `code`). */
  run<Row extends object>(statement: Sql): Promise<Row[]>;
  /** Runs a text of several statements without parameters: migrations. */
  script(text: string): Promise<void>;
}

/** The one way to Postgres, whether it is a server behind a pool or the embedded one. */
export interface Database extends Queryable {
  readonly kind: "postgres" | "embedded";
  /** What and where, without credentials, for the start-up log. */
  readonly description: string;
  /** Commits when `work` resolves, rolls back when it rejects. */
  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** How to open a database; `memory` is the embedded one without a folder, from a dump or empty. */
export type DatabaseSettings =
  | {
      readonly kind: "postgres";
      readonly url: string;
      readonly poolMax: number;
      /** Told of a lost idle connection; the pool itself goes on. */
      readonly onError?: (error: Error) => void;
    }
  | { readonly kind: "embedded"; readonly dataDir: string }
  | { readonly kind: "memory"; readonly dump?: Blob };
