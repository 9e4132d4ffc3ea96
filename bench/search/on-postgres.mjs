import { randomUUID } from "node:crypto";
import pg from "pg";
import { openBareSql } from "./bare-sql.mjs";

/** Makes a database of its own on the server at `url`; `drop` removes it. */
export async function ownDatabase(url) {
  const name = `memgate_bench_${randomUUID().slice(0, 8)}`;
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  await admin.query(`create database ${name}`);
  const own = new URL(url);
  own.pathname = `/${name}`;
  return {
    url: own.href,
    async drop() {
      await admin.query(`drop database ${name} with (force)`);
      await admin.end();
    },
  };
}

/** Bare statements on a Postgres server, and the processes there that serve one application. */
export async function postgresBare(dist, url) {
  const bare = await openBareSql(dist, url);
  return {
    prepare: (captured) => bare.prepare(captured),
    settle: () => bare.pool.query("vacuum analyze"),
    async backends(application) {
      const { rows } = await bare.pool.query(
        "select pid from pg_stat_activity where datname = current_database() and application_name = $1",
        [application],
      );
      return rows.map(({ pid }) => pid);
    },
    close: () => bare.close(),
  };
}
