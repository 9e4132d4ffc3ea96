import pg from "pg";
import { asDatabaseError } from "./connection-errors.js";
import { APP_ROLE_DEFAULT } from "../core/app-role.js";
import type { Database, Queryable, ScopedDatabase, SpanningTransaction } from "./database.js";
import { enterScope, READ_ONE_STATE, spanScopes } from "./enter-scope.js";
import { ParameterEncoder } from "./parameter-encoder.js";
import { describeServer } from "./server-facts.js";
import { numbered, type Sql } from "./sql.js";
import { parserOf } from "./type-parsers.js";

export interface PostgresSettings {
  readonly url: string;
  readonly poolMax: number;
  readonly appRole?: string;
  readonly onError?: (error: Error) => void;
}

/** Opens a pool and makes sure that the server answers and has pgvector. Rejects with the driver's error. */
export async function openPostgres(settings: PostgresSettings): Promise<Database> {
  const pool = new pg.Pool({
    connectionString: settings.url,
    max: settings.poolMax,
    application_name: "memgate",
    connectionTimeoutMillis: 10_000,
    // Statements queued on one connection leave together: a scoped read costs one round trip (0.6 ms against 2.3).
    pipeline: true,
    keepAlive: true,
    types: { getTypeParser: ((oid: number) => parserOf(oid)) as typeof pg.types.getTypeParser },
  });
  // A server that restarts takes idle connections with it; without a listener that error would end the process.
  pool.on("error", (error) => settings.onError?.(error));
  const database = new PostgresDatabase(pool, settings.appRole ?? APP_ROLE_DEFAULT);
  try {
    await database.inspect(settings.url);
    return database;
  } catch (error) {
    await pool.end();
    throw error;
  }
}

class PostgresDatabase implements Database {
  readonly kind = "postgres";
  description = "";
  private readonly parameters = new ParameterEncoder();

  constructor(
    private readonly pool: pg.Pool,
    private readonly appRole: string,
  ) {}

  async inspect(url: string): Promise<void> {
    const { hostname, port, pathname } = new URL(url);
    const place = `${hostname}:${port === "" ? "5432" : port}${decodeURIComponent(pathname)}`;
    this.description = `${await describeServer(this)} at ${place}`;
  }

  async run<Row extends object>(statement: Sql): Promise<Row[]> {
    return await this.query<Row>(this.pool, statement);
  }

  async transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    const client = await this.pool.connect().catch(rethrow);
    const tx = this.on(client);
    let broken: Error | undefined;
    // A connection that dies between two statements says so here; the next statement then rejects.
    const onError = (error: Error): void => void (broken = error);
    client.on("error", onError);
    try {
      await tx.script("begin");
      const result = await work(tx);
      await tx.script("commit");
      return result;
    } catch (error) {
      await client.query("rollback").catch((failure: unknown) => (broken = failure as Error));
      throw error;
    } finally {
      client.off("error", onError);
      client.release(broken);
    }
  }

  inScope(scopeId: number): ScopedDatabase {
    const enter = enterScope(scopeId, this.appRole);
    return {
      run: async (statement) => await this.runAlone(enter, statement),
      transaction: async (work) => {
        return await this.transaction(async (tx) => {
          await tx.run(enter);
          return await work(tx);
        });
      },
      snapshot: async (work) => {
        return await this.transaction(async (tx) => {
          await tx.script(READ_ONE_STATE);
          await tx.run(enter);
          return await work(tx);
        });
      },
    };
  }

  async acrossScopes<T>(work: (tx: SpanningTransaction) => Promise<T>): Promise<T> {
    return await this.transaction(async (tx) => await work(await spanScopes(tx, this.appRole)));
  }

  /** Begin, enter the scope, the statement and commit, sent together. The first that fails is the one that counts. */
  private async runAlone<Row extends object>(enter: Sql, statement: Sql): Promise<Row[]> {
    const { values } = await this.parameters.encode(statement, this);
    const client = await this.pool.connect().catch(rethrow);
    const ignore = (): void => undefined;
    client.on("error", ignore);
    const [begun, entered, result, ended] = await Promise.allSettled([
      client.query("begin"),
      client.query(numbered(enter), [...enter.values]),
      client.query<Row>(numbered(statement), values),
      client.query("commit"),
    ]);
    client.off("error", ignore);
    const failed = [begun, entered, result, ended].find((each) => each.status === "rejected");
    // A transaction whose commit was not answered must not meet the connection's next user.
    client.release(ended.status === "rejected");
    if (failed !== undefined) return rethrow(failed.reason);
    return result.status === "fulfilled" ? result.value.rows : [];
  }

  async script(text: string): Promise<void> {
    await this.on(this.pool).script(text);
  }

  async close(): Promise<void> {
    await this.pool.end();
  }

  private on(connection: pg.Pool | pg.PoolClient): Queryable {
    return {
      run: async (statement) => await this.query(connection, statement),
      script: async (text) => {
        await connection.query(text).catch(rethrow);
      },
    };
  }

  private async query<Row extends object>(connection: pg.Pool | pg.PoolClient, statement: Sql): Promise<Row[]> {
    const { values } = await this.parameters.encode(statement, this.on(connection));
    return (await connection.query<Row>(numbered(statement), values).catch(rethrow)).rows;
  }
}

function rethrow(error: unknown): never {
  throw asDatabaseError(error);
}
