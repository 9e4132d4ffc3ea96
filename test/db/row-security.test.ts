import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { APP_ROLE_DEFAULT } from "../../src/core/app-role.js";
import { sql, trustedSql } from "../../src/db/sql.js";
import { createServices, localCaller, registerSpace, type Services } from "../../src/services/index.js";
import { defaultTenant } from "../../src/db/queries/tenants.js";
import { PROFILES } from "../../src/core/profiles.js";
import { SEARCH_MODES } from "../../src/core/search-mode.js";
import { ADAPTIVE_LIMITS_DEFAULT } from "../../src/core/limits.js";
import { recording } from "../support/recording-database.js";
import { testSpaces } from "../support/service-bench.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";
import { uniqueName } from "../support/unique-name.js";
import { WordEmbedder } from "../support/word-embedder.js";

let database: TestDatabase;

beforeAll(async () => {
  database = await openTestDatabase();
});

afterAll(async () => {
  await database.close();
});

/** Tables with a scope, as the catalog has them. */
async function scopedTables(): Promise<{ name: string; forced: boolean; enabled: boolean }[]> {
  return await database.db.run(sql`
    select t.relname as "name",
           t.relforcerowsecurity as "forced",
           t.relrowsecurity as "enabled"
    from pg_class as t
    join pg_attribute as a
      on a.attrelid = t.oid
      and a.attname = 'scope_id'
      and not a.attisdropped
    where t.relkind = 'r'
      and t.relnamespace = 'public'::regnamespace
    order by t.relname
  `);
}

describe("row level security", () => {
  it("is enabled and forced on every table that has a scope", async () => {
    const tables = await scopedTables();
    expect(tables.length).toBeGreaterThan(8);
    expect(tables.filter((table) => !table.enabled || !table.forced)).toEqual([]);
  });

  it("shows nothing of any scoped table, nor of the registry of scopes, to a transaction that named no scope", async () => {
    await store(database, uniqueName("user"));
    for (const { name } of [...(await scopedTables()), { name: "scopes" }]) {
      const rows = await database.db.transaction(async (tx) => {
        await tx.run(sql`select set_config('role', ${APP_ROLE_DEFAULT}, true)`);
        return await tx.run(trustedSql(`select * from ${name}`));
      });
      expect({ name, rows }).toEqual({ name, rows: [] });
    }
  });

  it("refuses a row of another scope than the one that is set", async () => {
    await store(database, uniqueName("user"));
    const write = database.db.inScope(999_999).run(sql`
      insert into receipts (scope_id, actor, operation, key, fingerprint, result, created_at)
      values (1, 'a', 'o', 'k', 'f', '{}', now())
    `);
    await expect(write).rejects.toMatchObject({ code: "42501" });
  });

  it("gives every statement of every service nothing when the scope setting is missing", async () => {
    const { db, log } = recording(database.db);
    await useEverything(await servicesOn(db), uniqueName("user"));
    const scoped = new Set((await scopedTables()).map((table) => table.name));
    const statements = log.filter(({ text }) => [...scoped].some((table) => new RegExp(`\\b${table}\\b`).test(text)));
    expect(statements.length).toBeGreaterThan(20);
    for (const { text, values } of statements) {
      const rows = await withoutScope({ parts: text.split(/\$\d+/), values: values as never });
      expect({ text, leaked: rows.filter(hasContent) }).toEqual({ text, leaked: [] });
    }
  });
});

/** Runs a statement as the application's role with no scope set, and undoes whatever it did. */
async function withoutScope(statement: Parameters<TestDatabase["db"]["run"]>[0]): Promise<object[]> {
  const undo = new Error("undo");
  let rows: object[] = [];
  await database.db
    .transaction(async (tx) => {
      await tx.run(sql`select set_config('role', ${APP_ROLE_DEFAULT}, true)`);
      rows = await tx.run(statement);
      throw undo;
    })
    .catch((error: unknown) => {
      // Refused by the policy, or by a key that points to what cannot be seen: nothing came back either way.
      if (error !== undo && !["42501", "23503"].includes((error as { code?: string }).code ?? "")) throw error;
    });
  return rows;
}

/** A row that tells something of a scope: not the empty statistics of a corpus without memories. */
function hasContent(row: object): boolean {
  return Object.entries(row).some(([name, value]: [string, unknown]) => {
    if (name === "servedSpaceId") return false;
    if (Array.isArray(value)) return value.some((each) => each !== 0);
    return value !== null && value !== 0;
  });
}

async function servicesOn(db: TestDatabase["db"]): Promise<Services> {
  const [embedder, clock] = [new WordEmbedder(), () => new Date()];
  const spaces = testSpaces(database.db, [embedder]);
  await registerSpace({ db: database.db, spaces, clock }, embedder.space, { baseUrl: null, settings: {} });
  return createServices({
    db,
    spaces,
    clock,
    writeEmbedWaitMs: 1_000,
    receiptRetentionMs: null,
    gatePolicy: { similarity_threshold: 0.3, profile: PROFILES.balanced, limits: ADAPTIVE_LIMITS_DEFAULT },
    onPending: () => undefined,
  });
}

async function store(on: TestDatabase, userId: string): Promise<void> {
  await useEverything(await servicesOn(on.db), userId);
}

/** Every kind of read and write once. */
async function useEverything(services: Services, userId: string): Promise<void> {
  const caller = localCaller(await defaultTenant(database.db));
  const scope = { names: { project: null, mission: null, userId, workspaceId: null }, agentId: null };
  const once = { key: "key", operation: "test", command: {} };
  const draft = draftOf("The cabin has a blue door.");
  const { memory } = await services.createMemory(caller, { ...scope, draft, onDuplicate: "return_existing", once });
  await services.getMemory(caller, { ...scope, id: memory.id });
  await services.memoryHistory(caller, { ...scope, id: memory.id });
  const filters = { tagsAny: ["door"], externalId: "cabin", namespaceScope: "home", sourceSite: "notes" };
  await services.listMemories(caller, { ...scope, filters, after: undefined, limit: 5 });
  const search = {
    query: "blue door",
    threshold: undefined,
    gateMode: "auto",
    limit: 5,
    filters: {},
    explain: true,
  } as const;
  for (const mode of SEARCH_MODES) {
    await services.searchMemories(caller, { ...scope, ...search, mode, asOf: undefined });
    await services.searchMemories(caller, { ...scope, ...search, filters, mode, asOf: new Date() });
  }
  const explain = { ...scope, ...search, mode: "hybrid", asOf: undefined } as const;
  await services.explainMemory(caller, { ...explain, memoryId: memory.id });
  const patch = { content: "The cabin has a green door." };
  await services.updateMemory(caller, { ...scope, id: memory.id, expectedRevision: 1, patch, once: undefined });
  await services.readChanges(caller, {
    ...scope,
    after: undefined,
    limit: 9,
    waitMs: 0,
    signal: new AbortController().signal,
  });
  await services.embedPending(new AbortController().signal);
  await services.deleteMemories(caller, {
    ...scope,
    what: { filters: { tagsAll: ["door"] } },
    dryRun: false,
    once: undefined,
  });
}

function draftOf(content: string) {
  const provenance = { namespace: "home", sourceSite: "notes", sourceUrl: null, sessionId: null, episodeType: null };
  const worth = { importance: 0.5, trust: 1, metadata: { a: 1 }, eventAt: null, expiresAt: null };
  return {
    content,
    ...provenance,
    ...worth,
    tags: ["door"],
    externalId: "cabin",
    visibility: null,
    sourceMemoryIds: [],
  };
}
