import { randomUUID } from "node:crypto";
import pg from "pg";

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
