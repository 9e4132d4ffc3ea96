import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { schemaText } from "../scripts/schema-text.mjs";
import { sql } from "../src/db/sql.js";
import { openTestDatabase, type TestDatabase } from "./support/test-database.js";

let database: TestDatabase;

beforeAll(async () => {
  database = await openTestDatabase();
});

afterAll(async () => {
  await database.close();
});

it("the migrations make the committed schema on this database", async () => {
  const committed = await readFile(new URL("schema.sql", import.meta.url), "utf8");
  expect(await schemaText(database.db, sql)).toBe(committed);
});
