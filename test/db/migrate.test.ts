import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import type { Queryable } from "../../src/db/database.js";
import { migrate, migrationStatus, previewMigrations } from "../../src/db/migrate.js";
import { readMigrations, type Migration } from "../../src/db/migration-files.js";
import { sql } from "../../src/db/sql.js";
import { openEmptyDatabase, type EmptyDatabase } from "../support/empty-database.js";

let database: EmptyDatabase;

beforeAll(async () => {
  database = await openEmptyDatabase();
});

beforeEach(async () => {
  await database.reset();
});

afterAll(async () => {
  await database.close();
});

function migration(number: number, text: string, transactional = true): Migration {
  const name = `${String(number).padStart(4, "0")}_test.sql`;
  const checksum = createHash("sha256").update(text).digest("hex");
  return { number, name, text, checksum, transactional };
}

const FIRST = migration(1, "create table one (id integer); insert into one values (1);");
const SECOND = migration(2, "alter table one add column more text; create table two (id integer);");
const ALONE = migration(3, "create index concurrently two_id on two (id)", false);
const FOURTH = migration(4, "create table four (id integer);");

async function tables(db: Queryable): Promise<string[]> {
  const rows = await db.run<{ name: string }>(
    sql`select relname as "name" from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`,
  );
  return rows.map((row) => row.name);
}

describe("migrate", () => {
  it("applies what is pending, once, in order", async () => {
    const { db } = database;
    expect(await migrate(db, { migrations: [FIRST] })).toEqual({ applied: ["0001_test.sql"], pending: [] });
    const all = { migrations: [FIRST, SECOND] };
    expect(await migrate(db, all)).toEqual({ applied: ["0002_test.sql"], pending: [] });
    expect(await migrate(db, all)).toEqual({ applied: [], pending: [] });
    expect(await tables(db)).toEqual(["migration_lock", "one", "schema_migrations", "two"]);
    expect(await db.run(sql`select id from one`)).toEqual([{ id: 1 }]);
  });

  it("brings an empty database to the shipped schema, and a second time does nothing", async () => {
    const shipped = (await readMigrations()).map((each) => each.name);
    expect((await migrate(database.db)).applied).toEqual(shipped);
    expect(await migrationStatus(database.db)).toEqual({ applied: shipped, pending: [] });
    expect((await migrate(database.db)).applied).toEqual([]);
  });

  it("applies everything once when several processes start at the same time", async () => {
    const migrations = [FIRST, SECOND, ALONE, FOURTH];
    const connections = await Promise.all([1, 2, 3].map(async () => await database.again()));
    const results = await Promise.all(connections.map(async (db) => await migrate(db, { migrations })));
    expect(results.flatMap((result) => result.applied).sort()).toEqual(migrations.map((each) => each.name));
    expect(await database.db.run(sql`select id from one`)).toEqual([{ id: 1 }]);
    expect((await migrationStatus(database.db, migrations)).pending).toEqual([]);
  });

  it("leaves nothing behind when a file fails, and goes on from there once it is mended", async () => {
    const { db } = database;
    const broken = migration(2, "create table two (id integer); select 1 / 0;");
    await expect(migrate(db, { migrations: [FIRST, broken] })).rejects.toMatchObject({ code: "22012" });
    expect(await tables(db)).toEqual(["migration_lock", "schema_migrations"]);
    expect((await migrate(db, { migrations: [FIRST, SECOND] })).applied).toHaveLength(2);
  });

  it("refuses a file that was changed after it had been applied", async () => {
    const { db } = database;
    await migrate(db, { migrations: [FIRST] });
    const changed = [migration(1, `${FIRST.text} -- changed`), SECOND];
    await expect(migrate(db, { migrations: changed })).rejects.toThrow("0001_test.sql was changed");
    expect(await tables(db)).not.toContain("two");
  });

  it("refuses a database that is newer than the program", async () => {
    const { db } = database;
    await migrate(db, { migrations: [FIRST, SECOND] });
    await expect(migrate(db, { migrations: [FIRST] })).rejects.toThrow("0002_test.sql, which is newer");
  });

  it("runs a file that is not transactional by itself, between those before and after it", async () => {
    const { db } = database;
    const { applied } = await migrate(db, { migrations: [FIRST, SECOND, ALONE, FOURTH] });
    expect(applied).toEqual(["0001_test.sql", "0002_test.sql", "0003_test.sql", "0004_test.sql"]);
    expect(await db.run(sql`select indexname from pg_indexes where tablename = 'two'`)).toEqual([
      { indexname: "two_id" },
    ]);
    expect(await db.run(sql`select lease_until from migration_lock`)).toEqual([{ lease_until: null }]);
  });

  it("gives the lease back when such a file fails", async () => {
    const { db } = database;
    const broken = migration(3, "create index concurrently none on no_such_table (id)", false);
    await expect(migrate(db, { migrations: [FIRST, SECOND, broken] })).rejects.toMatchObject({ code: "42P01" });
    expect(await tables(db)).toContain("two");
    expect((await migrate(db, { migrations: [FIRST, SECOND, ALONE] })).applied).toEqual(["0003_test.sql"]);
  });

  it("waits while another process has the lease, and takes one that is over", async () => {
    const { db } = database;
    await migrate(db, { migrations: [FIRST, SECOND] });
    await db.run(sql`update migration_lock set lease_until = now() + interval '700 milliseconds'`);
    const started = performance.now();
    expect((await migrate(db, { migrations: [FIRST, SECOND, ALONE] })).applied).toEqual(["0003_test.sql"]);
    expect(performance.now() - started).toBeGreaterThan(600);
  });
});

describe("a dry run", () => {
  it("shows the SQL that would run, and writes nothing at all", async () => {
    const { db } = database;
    const shown = await previewMigrations(db);
    for (const { name, text } of await readMigrations()) expect(shown).toContain(`-- ${name}\n${text}`);
    expect(await tables(db)).toEqual([]);
    await migrate(db);
    expect(await previewMigrations(db)).toBe("");
  });
});

describe("the folder of migrations", () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "memgate-migrations-"));
  });

  afterEach(async () => {
    await rm(folder, { recursive: true });
  });

  async function write(files: Record<string, string>): Promise<void> {
    for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
  }

  it("is read in order, and tells the files that run alone", async () => {
    await write({ "0002_b.sql": "-- memgate:no-transaction\nselect 2", "0001_a.sql": "select 1" });
    expect(await readMigrations(folder)).toMatchObject([
      { number: 1, name: "0001_a.sql", text: "select 1", transactional: true, checksum: FIRST_CHECKSUM },
      { number: 2, name: "0002_b.sql", transactional: false },
    ]);
  });

  it.each([
    ["a gap", { "0001_a.sql": "", "0003_c.sql": "" }, "0003_c.sql should have number 2"],
    ["a number used twice", { "0001_a.sql": "", "0001_b.sql": "" }, "0001_b.sql should have number 2"],
    ["a foreign name", { "0001_a.sql": "", "readme.md": "" }, "readme.md is not named"],
    ["a number of three digits", { "001_a.sql": "" }, "001_a.sql is not named"],
  ])("with %s is refused", async (_, files, message) => {
    await write(files);
    await expect(readMigrations(folder)).rejects.toThrow(message);
  });
});

const FIRST_CHECKSUM = createHash("sha256").update("select 1").digest("hex");
