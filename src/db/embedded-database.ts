import { PGlite, type PGliteOptions, type Transaction } from "@electric-sql/pglite";
import { vector } from "@electric-sql/pglite-pgvector";
import { APP_ROLE_DEFAULT } from "../core/app-role.js";
import type { Database, Queryable, ScopedDatabase, SpanningTransaction } from "./database.js";
import { enterScope, READ_ONE_STATE, spanScopes } from "./enter-scope.js";
import { ParameterEncoder } from "./parameter-encoder.js";
import { describeServer } from "./server-facts.js";
import { numbered, type Sql } from "./sql.js";
import { parserOf } from "./type-parsers.js";

const PARSED_OIDS = [
  16, 17, 20, 21, 23, 25, 26, 114, 700, 701, 1007, 1009, 1016, 1022, 1043, 1082, 1184, 1185, 1700, 2950, 2951, 3802,
];
const PARSERS = Object.fromEntries(PARSED_OIDS.map((oid) => [oid, parserOf(oid)]));

/**
 * Opens Postgres inside this process: in a folder, or in memory (`dump` restores one).
 * It has a single backend, so statements and transactions take turns; PGlite keeps that queue itself.
 */
export async function openEmbedded(where: {
  dataDir?: string;
  dump?: Blob;
  appRole?: string;
}): Promise<EmbeddedDatabase> {
  const options: PGliteOptions = { extensions: { vector }, parsers: PARSERS };
  if (where.dataDir !== undefined) options.dataDir = where.dataDir;
  if (where.dump !== undefined) options.loadDataDir = where.dump;
  const database = new EmbeddedDatabase(await PGlite.create(options), where.appRole ?? APP_ROLE_DEFAULT);
  await database.inspect(where.dataDir);
  return database;
}

/** PGlite types a serializer as giving text, yet sends bytes in binary form. */
const asIs = (value: unknown): string => value as string;

type Turn = Pick<Transaction, "query" | "exec">;

export class EmbeddedDatabase implements Database {
  readonly kind = "embedded";
  description = "";
  private readonly parameters = new ParameterEncoder();

  constructor(
    private readonly pglite: PGlite,
    private readonly appRole: string,
  ) {}

  async inspect(dataDir: string | undefined): Promise<void> {
    this.description = `embedded ${await describeServer(this)} in ${dataDir ?? "memory"}`;
  }

  async run<Row extends object>(statement: Sql): Promise<Row[]> {
    return await this.query<Row>(this.pglite, statement);
  }

  async transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    return await this.pglite.transaction(async (tx) => await work(this.on(tx)));
  }

  inScope(scopeId: number): ScopedDatabase {
    const enter = enterScope(scopeId, this.appRole);
    const transaction: ScopedDatabase["transaction"] = async (work) => {
      return await this.transaction(async (tx) => {
        await tx.run(enter);
        return await work(tx);
      });
    };
    return {
      transaction,
      snapshot: async (work) => {
        return await this.transaction(async (tx) => {
          await tx.script(READ_ONE_STATE);
          await tx.run(enter);
          return await work(tx);
        });
      },
      run: async (statement) => await transaction(async (tx) => await tx.run(statement)),
    };
  }

  async acrossScopes<T>(work: (tx: SpanningTransaction) => Promise<T>): Promise<T> {
    return await this.transaction(async (tx) => await work(await spanScopes(tx, this.appRole)));
  }

  async script(text: string): Promise<void> {
    await this.on(this.pglite).script(text);
  }

  /** A gzip of the data folder, from which `openEmbedded({ dump })` starts in about a second. */
  async dump(): Promise<Blob> {
    return await this.pglite.dumpDataDir("gzip");
  }

  async close(): Promise<void> {
    await this.pglite.close();
  }

  private on(turn: Turn): Queryable {
    return {
      run: async (statement) => await this.query(turn, statement),
      script: async (text) => {
        await turn.exec(text);
      },
    };
  }

  private async query<Row extends object>(turn: Turn, statement: Sql): Promise<Row[]> {
    const { values, oids } = await this.parameters.encode(statement, this.on(turn));
    const serializers = oids === undefined ? {} : { [oids.vector]: asIs, [oids.vectorArray]: asIs };
    return (await turn.query<Row>(numbered(statement), values, { serializers })).rows;
  }
}
