import { fileURLToPath } from "node:url";
import { startServer } from "../startup/server.mjs";
import { openBareSql } from "./bare-sql.mjs";
import { startCapturing } from "./capture-statement.mjs";
import { eachCase } from "./each-case.mjs";
import { fillScopes } from "./fill-scopes.mjs";
import { httpSearch, inTurns, QUESTIONS } from "./measure.mjs";
import { ownDatabase } from "./own-database.mjs";
import { prepareStatements } from "./prepare-statements.mjs";
import { table, tableRow } from "./report.mjs";

/** The table of a Postgres server; requests and bare statements take turns. */
export async function benchPostgres(options, { settings, folder }) {
  const database = await ownDatabase(options.databaseUrl);
  try {
    const own = { ...settings, DATABASE_URL: database.url, MEMGATE_DATA_DIR: folder };
    const server = await startServer(fileURLToPath(options.dist), folder, own);
    const bare = await openBareSql(options.dist, database.url);
    const capturing = await startCapturing(options.dist, bare.db, own);
    await fillScopes(server.url, options.sizes);
    await bare.settle();
    const rows = await eachCase({ ...options, url: server.url }, async (given) => {
      const statements = await prepareStatements({ capturing, prepare: bare.prepare }, given);
      if (options.explain && given.clients === 1) {
        console.log(`# ${given.mode}, ${given.size} memories\n\n${await statements[0].explain()}\n`);
      }
      const kinds = {
        request: {
          work: httpSearch(server.url, given.mode, given.size),
          pids: async () => ({ server: [server.pid], database: await bare.backends("memgate") }),
        },
        bare: {
          work: (n) => statements[n % QUESTIONS].run(),
          pids: async () => ({ database: await bare.backends("bench") }),
        },
      };
      const row = tableRow({ ...given, ...(await inTurns(kinds, { ...given, rounds: options.rounds })) });
      console.error(row);
      return row;
    });
    const title = bare.db.description.replace(/ at .*/, "");
    await capturing.close();
    await bare.close();
    await server.stop();
    return table(title, rows);
  } finally {
    await database.drop();
  }
}
