import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Database, DatabaseSettings } from "../../src/db/database.js";
import { openDatabase } from "../../src/db/open-database.js";

/** What the global set-up found, handed over as JSON in `TEST_TARGET`. */
export type TestTarget =
  | { readonly kind: "postgres"; readonly url: string; readonly template: string }
  | { readonly kind: "embedded"; readonly dump: string };

export interface TestDatabase {
  readonly db: Database;
  readonly target: "postgres" | "embedded";
  /** Opens the same database again on Postgres; an equal, separate one on the embedded one. */
  readonly settings: DatabaseSettings;
  close(): Promise<void>;
}

/** A migrated database of its own, for one test file: open it in `beforeAll`, close it in `afterAll`. */
export async function openTestDatabase(): Promise<TestDatabase> {
  const target = testTarget();
  return target.kind === "postgres" ? await openClone(target.url, target.template) : await openRestored(target.dump);
}

/** What the tests run on. */
export function testTarget(): TestTarget {
  const target = process.env.TEST_TARGET;
  if (target === undefined) throw new Error("TEST_TARGET is missing: run the tests with npm test");
  return JSON.parse(target) as TestTarget;
}

async function openClone(url: string, template: string): Promise<TestDatabase> {
  const name = `memgate_test_${Date.now().toString(36)}_${randomBytes(4).toString("hex")}`;
  await administer(url, `create database ${name} template ${template}`);
  const cloneUrl = new URL(url);
  cloneUrl.pathname = `/${name}`;
  const settings: DatabaseSettings = { kind: "postgres", url: cloneUrl.href, poolMax: 8 };
  const db = await openDatabase(settings);
  const close = async (): Promise<void> => {
    await db.close();
    await administer(url, `drop database ${name} with (force)`);
  };
  return { db, target: "postgres", settings, close };
}

async function openRestored(dump: string): Promise<TestDatabase> {
  const settings: DatabaseSettings = { kind: "memory", dump: new Blob([await readFile(dump)]) };
  const db = await openDatabase(settings);
  const close = async (): Promise<void> => {
    await db.close();
  };
  return { db, target: "embedded", settings, close };
}

async function administer(url: string, statement: string): Promise<void> {
  const admin = await openDatabase({ kind: "postgres", url, poolMax: 1 });
  try {
    await admin.script(statement);
  } finally {
    await admin.close();
  }
}
