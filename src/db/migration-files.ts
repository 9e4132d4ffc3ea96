import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** One numbered file of the schema's history. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly text: string;
  /** SHA-256 of the text: an applied file must never change. */
  readonly checksum: string;
  /** False for a file that begins with `-- memgate:no-transaction` (`create index concurrently` and its like). */
  readonly transactional: boolean;
}

const FOLDER = fileURLToPath(new URL("../../migrations", import.meta.url));
const FILE_NAME = /^(\d{4})_[a-z0-9_]+\.sql$/;

/** The shipped migrations in order. Throws on a foreign file name, a gap or a number used twice. */
export async function readMigrations(folder = FOLDER): Promise<Migration[]> {
  const names = (await readdir(folder)).sort();
  const migrations = await Promise.all(names.map(async (name) => await readMigration(folder, name)));
  migrations.forEach((migration, index) => {
    if (migration.number !== index + 1)
      throw new Error(`migrations: ${migration.name} should have number ${String(index + 1)}`);
  });
  return migrations;
}

async function readMigration(folder: string, name: string): Promise<Migration> {
  const number = FILE_NAME.exec(name)?.[1];
  if (number === undefined) throw new Error(`migrations: ${name} is not named 0001_some_words.sql`);
  const text = await readFile(path.join(folder, name), "utf8");
  return {
    number: Number(number),
    name,
    text,
    checksum: createHash("sha256").update(text).digest("hex"),
    transactional: !text.startsWith("-- memgate:no-transaction"),
  };
}
