import pg from "pg";

/**
 * Runs captured statements as the server's code would, and without it: begin, the settings of row level security, the
 * statement and commit, sent together on one connection of `pg`.
 */
export async function openBareSql(dist, url, appRole = "memgate_app") {
  const load = (file) => import(new URL(file, dist).href);
  const { numbered } = await load("db/sql.js");
  const { enterScope } = await load("db/enter-scope.js");
  const { ParameterEncoder } = await load("db/parameter-encoder.js");
  const { openDatabase } = await load("db/open-database.js");
  const pool = new pg.Pool({ connectionString: url, max: 10, pipeline: true, application_name: "bench" });
  const db = await openDatabase({ kind: "postgres", url, poolMax: 1 });
  const encoder = new ParameterEncoder();
  return {
    pool,
    db,
    async prepare({ scopeId, statement }) {
      const { values } = await encoder.encode(statement, db);
      const [enter, text] = [enterScope(scopeId, appRole), numbered(statement)];
      const send = async (given) => {
        const client = await pool.connect();
        try {
          const replies = await Promise.all([
            client.query("begin"),
            client.query(numbered(enter), [...enter.values]),
            client.query(given, values),
            client.query("commit"),
          ]);
          return replies[2].rows;
        } finally {
          client.release();
        }
      };
      return {
        run: () => send(text),
        explain: async () =>
          (await send(`explain (analyze, buffers, settings) ${text}`)).map((row) => row["QUERY PLAN"]).join("\n"),
      };
    },
    async close() {
      await pool.end();
      await db.close();
    },
  };
}
