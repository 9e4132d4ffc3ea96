import pg from "pg";
import { asDatabaseError } from "./connection-errors.js";
import type { Database, Queryable } from "./database.js";
import { ParameterEncoder } from "./parameter-encoder.js";
import { describeServer } from "./server-facts.js";
import { numbered, type Sql } from "./sql.js";
import { parserOf } from "./type-parsers.js";

export interface PostgresSettings {
  readonly url: string;
  readonly poolMax: number;
  readonly onError?: (error: Error) => void;
}

/** Opens a pool and makes sure that the server answers and has pgvector. Rejects with the driver's error. */
export async function openPostgres(settings: PostgresSettings): Promise<Database> {
  const pool = new pg.Pool({
    connectionString: settings.url,
    max: settings.poolMax,
    application_name: "memgate",
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    types: { getTypeParser: ((oid: number) => parserOf(oid)) as typeof pg.types.getTypeParser },
  });
  // A server that restarts takes idle connections with it; without a listener that error would end the process.
  pool.on("error", (error) => settings.onError?.(error));
  const database = new PostgresDatabase(pool);
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

  constructor(private readonly pool: pg.Pool) {}

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
