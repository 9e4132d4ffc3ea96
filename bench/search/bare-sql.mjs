import pg from "pg";

/**
 * Runs captured statements as the server's code would, and without it: begin, the settings of row level security, the
 * statement and commit, sent together on one connection of `pg`. `db`: the same database by our own code, for captures.
 */
export async function openBareSql(dist, url, appRole = "memgate_app") {
  const load = (file) => import(new URL(`db/${file}`, dist).href);
  const [{ numbered }, { enterScope }, { ParameterEncoder }, { openDatabase }] = await Promise.all(
    ["sql.js", "enter-scope.js", "parameter-encoder.js", "open-database.js"].map(load),
  );
  const connection = { connectionString: url, pipeline: true, application_name: "bench" };
  const pool = new pg.Pool({ ...connection, max: 10, idleTimeoutMillis: 0 });
  const db = await openDatabase({ kind: "postgres", url, poolMax: 2 });
  const encoder = new ParameterEncoder();
  const send = async (enter, text, values) => {
    const client = await pool.connect();
    const replies = await Promise.all([
      client.query("begin"),
      client.query(numbered(enter), [...enter.values]),
      client.query(text, values),
      client.query("commit"),
    ]).finally(() => client.release());
    return replies[2].rows;
  };
  return {
    db,
    async prepare({ scopeId, statement }) {
      const { values } = await encoder.encode(statement, db);
      const [enter, text] = [enterScope(scopeId, appRole), numbered(statement)];
      return {
        run: () => send(enter, text, values),
        async explain() {
          const rows = await send(enter, `explain (analyze, buffers, settings) ${text}`, values);
          return rows.map((row) => row["QUERY PLAN"]).join("\n");
        },
      };
    },
    /** What autovacuum would have done by and by: statistics, and the visibility map for index-only scans. */
    settle: () => pool.query("vacuum analyze"),
    /** The server's processes that serve the connections of one application. */
    async backends(application) {
      const { rows } = await pool.query(
        "select pid from pg_stat_activity where datname = current_database() and application_name = $1",
        [application],
      );
      return rows.map(({ pid }) => pid);
    },
    async close() {
      await pool.end();
      await db.close();
    },
  };
}
