import path from "node:path";
import { fileURLToPath } from "node:url";
import { startServer } from "../startup/server.mjs";
import { startCapturing } from "./capture-statement.mjs";
import { eachCase } from "./each-case.mjs";
import { fillScopes } from "./fill-scopes.mjs";
import { httpSearch, inTurns, QUESTIONS } from "./measure.mjs";
import { prepareStatements } from "./prepare-statements.mjs";
import { table, tableRow } from "./report.mjs";

/** The embedded database is made for some 10,000 memories. */
const MOST = 10_000;

/** The table of the embedded database. Its folder serves one process: first the server, and then the bare statements. */
export async function benchEmbedded(options, { settings, folder }) {
  const data = path.join(folder, "embedded");
  const sizes = options.sizes.filter((size) => size <= MOST);
  const server = await startServer(fileURLToPath(options.dist), data, settings);
  await fillScopes(server.url, sizes);
  const cases = await eachCase({ ...options, sizes, url: server.url }, async (given) => {
    const pids = () => Promise.resolve({ server: [server.pid] });
    const kinds = { request: { work: httpSearch(server.url, given.mode, given.size), pids } };
    return { ...given, ...(await inTurns(kinds, { ...given, rounds: options.rounds })) };
  });
  await server.stop();

  const { openDatabase } = await import(new URL("db/open-database.js", options.dist).href);
  const db = await openDatabase({ kind: "embedded", dataDir: path.join(data, "postgres") });
  const capturing = await startCapturing(options.dist, db, { ...settings, MEMGATE_DATA_DIR: data });
  const prepare = ({ scopeId, statement }) => ({ run: () => db.inScope(scopeId).run(statement) });
  const rows = [];
  for (const { request, ...given } of cases) {
    const statements = await prepareStatements({ capturing, prepare }, given);
    const kinds = {
      bare: { work: (n) => statements[n % QUESTIONS].run(), pids: () => Promise.resolve({ database: [process.pid] }) },
    };
    const { bare } = await inTurns(kinds, { ...given, rounds: options.rounds });
    rows.push(tableRow({ ...given, request, bare }));
    console.error(rows.at(-1));
  }
  await capturing.close();
  const title = db.description.replace(/ in .*/, "");
  await db.close();
  return table(title, rows);
}
