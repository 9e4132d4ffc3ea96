import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { migrate, previewMigrations } from "../../src/db/migrate.js";
import { readMigrations, type Migration } from "../../src/db/migration-files.js";
import { sql } from "../../src/db/sql.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";

let database: TestDatabase;
let shipped: Migration[];

beforeAll(async () => {
  database = await openTestDatabase();
  shipped = await readMigrations();
});

afterAll(async () => {
  await database.close();
});

/** A migration after the shipped ones; `place` 1 is the next. */
function next(place: number, more: Pick<Migration, "text" | "transactional">): Migration {
  const number = shipped.length + place;
  return { number, name: `${String(number).padStart(4, "0")}_next.sql`, checksum: String(number), ...more };
}

async function tables(): Promise<unknown[]> {
  return await database.db.run(sql`select tablename as "name" from pg_tables where schemaname = 'public' order by 1`);
}

it("a dry run gives the pending SQL and writes nothing", async () => {
  const before = await tables();
  const pending = [...shipped, next(1, { text: "create table extra (id integer);", transactional: true })];
  expect(await previewMigrations(database.db, pending)).toMatch(
    /^-- \d{4}_next\.sql\ncreate table extra \(id integer\);$/,
  );
  expect(await previewMigrations(database.db)).toBe("");
  expect(await tables()).toEqual(before);
});

it("a dry run is refused where a pending file does not run in a transaction, wherever it stands", async () => {
  const before = await tables();
  const pending = [
    ...shipped,
    next(1, { text: "create table extra (id integer);", transactional: true }),
    next(2, { text: "create index concurrently extra_id on extra (id);", transactional: false }),
  ];
  await expect(previewMigrations(database.db, pending)).rejects.toThrow(/does not run in a transaction/);
  expect(await tables()).toEqual(before);
  await migrate(database.db, { migrations: pending });
  expect(await previewMigrations(database.db, pending)).toBe("");
});
