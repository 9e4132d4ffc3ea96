import { randomBytes } from "node:crypto";
import type { Database, DatabaseSettings } from "../../src/db/database.js";
import { openDatabase } from "../../src/db/open-database.js";
import { testTarget } from "./test-database.js";

export interface EmptyDatabase {
  readonly db: Database;
  /** Another connection to the same database; the embedded one has a single one. */
  again(): Promise<Database>;
  /** Makes it empty again: a new database for every test takes a second, and the embedded one some more. */
  reset(): Promise<void>;
  close(): Promise<void>;
}

/** A database without any table of ours: what the first start finds. */
export async function openEmptyDatabase(): Promise<EmptyDatabase> {
  const target = testTarget();
  if (target.kind === "embedded") {
    const db = await openDatabase({ kind: "memory" });
    const close = async (): Promise<void> => {
      await db.close();
    };
    return { db, again: async () => await Promise.resolve(db), reset: () => reset(db), close };
  }
  const name = `memgate_test_${Date.now().toString(36)}_${randomBytes(4).toString("hex")}`;
  await onServer(target.url, `create database ${name}`);
  const url = new URL(target.url);
  url.pathname = `/${name}`;
  const settings: DatabaseSettings = { kind: "postgres", url: url.href, poolMax: 2 };
  const opened: Database[] = [];
  const again = async (): Promise<Database> => {
    const db = await openDatabase(settings);
    opened.push(db);
    return db;
  };
  const close = async (): Promise<void> => {
    for (const db of opened) await db.close();
    await onServer(target.url, `drop database ${name} with (force)`);
  };
  const db = await again();
  return { db, again, reset: () => reset(db), close };
}

async function reset(db: Database): Promise<void> {
  await db.script("drop schema public cascade; create schema public");
}

async function onServer(url: string, statement: string): Promise<void> {
  const admin = await openDatabase({ kind: "postgres", url, poolMax: 1 });
  try {
    await admin.script(statement);
  } finally {
    await admin.close();
  }
}
