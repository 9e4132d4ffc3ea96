import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { sql } from "../../src/db/sql.js";
import { verifyScope } from "../../src/services/verify.js";
import { startLocalApi, type LocalApi } from "../support/local-api.js";
import { scanDatabase, scanStatistics } from "../support/scan-database.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";
import { uniqueName } from "../support/unique-name.js";
import { expectOk, idOf, scopeIdOf } from "../support/written-history.js";

let database: TestDatabase;
let api: LocalApi;

beforeAll(async () => {
  database = await openTestDatabase();
  api = await startLocalApi(database.db, { log: "silent" });
});

afterAll(async () => {
  await api.close();
  await database.close();
});

let planted: string[] = [];

/** A text that stands nowhere else; remembered. */
function canary(field: string): string {
  const text = uniqueName(`canary-${field}`);
  planted.push(text);
  return text;
}

/** Every field of a memory that a caller can write, each with a canary. */
function fields(): object {
  return {
    content: `${canary("content")} ${canary("word")}`,
    metadata: { [canary("key")]: { [canary("inner")]: [canary("value")] } },
    tags: [canary("tag"), canary("tag")],
    external_id: canary("external"),
    source_url: `https://example.org/${canary("url")}`,
    source_site: canary("site"),
    session_id: canary("session"),
    namespace: `${canary("namespace")}/${canary("segment")}`,
    episode_type: canary("episode"),
  };
}

interface Scope {
  readonly user_id?: string;
  readonly workspace_id?: string;
  readonly agent_id?: string;
}

/** Memories that are current, changed, deleted, derived, pending and of a batch, written under canary keys. */
async function plant(scope: Scope, more: object): Promise<void> {
  const post = async (body: object): Promise<string> => {
    const call = { method: "POST", path: "/v1/memories", body: { ...scope, ...more, ...body } } as const;
    return idOf(await expectOk(api, { ...call, key: canary("idempotency") }));
  };
  const changed = await post(fields());
  const patch = { method: "PATCH", path: `/v1/memories/${changed}` } as const;
  await expectOk(api, { ...patch, body: { ...scope, ...fields() }, key: canary("idempotency") });
  const deleted = await post(fields());
  await expectOk(api, {
    method: "DELETE",
    path: `/v1/memories/${deleted}`,
    query: { ...scope },
    key: canary("idempotency"),
  });
  await post({ ...fields(), source_memory_ids: [changed] });
  api.bench.embedder.setDown(true);
  await post(fields());
  api.bench.embedder.setDown(false);
  const memories = [
    { ...fields(), ...more },
    { ...fields(), ...more },
  ];
  const batch = { method: "POST", path: "/v1/memories/batch", body: { ...scope, memories } } as const;
  await expectOk(api, { ...batch, key: canary("idempotency") });
  if (scope.workspace_id !== undefined) {
    const grant = { method: "PUT", path: `/v1/memories/${changed}/grants/${canary("grantee")}` } as const;
    await expectOk(api, { ...grant, query: { ...scope }, key: canary("idempotency") });
  }
  const search = { method: "POST", path: "/v1/memories/search" } as const;
  await expectOk(api, { ...search, body: { ...scope, query: `what about ${canary("query")}` } });
}

/** Everything that stands for what was planted: its digests and keys, vectors and their bytes, fingerprints. */
async function traces(scopeId: number): Promise<string[]> {
  const rows = await database.db.run<{ trace: string | null }>(sql`
    select unnest(array[r.content_digest, m.content_key]) as "trace"
    from memory_revisions as r
    join memories as m
      on m.scope_id = r.scope_id
      and m.id = r.memory_id
    where r.scope_id = ${scopeId}
    union
    select unnest(array[b.embedding::text, l2_normalize(b.embedding)::text, encode(vector_send(b.embedding), 'hex')])
    from bindings as b
    where b.scope_id = ${scopeId}
    union
    select unnest(array[t.fingerprint])
    from receipts as t
    where t.scope_id = ${scopeId}
  `);
  return rows.map((row) => row.trace).filter((trace) => trace !== null);
}

const NEVER_STORED = ["canary-query", "canary-idempotency"];

it.each<[string, () => { scope: Scope; more: object }]>([
  ["a user's", () => ({ scope: { user_id: uniqueName("user") }, more: {} })],
  [
    "a workspace's",
    () => ({
      scope: { workspace_id: uniqueName("workspace"), agent_id: canary("agent") },
      more: { visibility: "restricted" },
    }),
  ],
])("nothing of %s memories is left in any column of any table", async (_whose, make) => {
  planted = [];
  const { scope, more } = make();
  await plant(scope, more);
  const scopeId = await scopeIdOf(api, scope);
  const hashes = planted.flatMap((text) => [
    createHash("sha256").update(text).digest("hex"),
    createHash("sha256").update(text).digest("base64"),
    Buffer.from(text).toString("hex"),
  ]);
  const needles = [...planted, ...hashes, ...(await traces(scopeId))];
  // Beside it, in the same scope, what has to stay.
  const keeper = scope.agent_id === undefined ? scope : { ...scope, agent_id: "keeper" };
  const body = { ...keeper, source_site: "stays", content: "stays here", tags: ["stays"] };
  const kept = idOf(await expectOk(api, { method: "POST", path: "/v1/memories", body }));
  if (scope.agent_id !== undefined) {
    await expectOk(api, { method: "PUT", path: `/v1/memories/${kept}/grants/friend`, query: { ...keeper } });
  }
  await database.db.script("analyze");
  const before = await scanDatabase(database.db, needles);
  for (const text of planted) {
    const stored = !NEVER_STORED.some((prefix) => text.startsWith(prefix));
    expect({ text, stored: before.some((place) => place.endsWith(text)) }).toEqual({ text, stored });
  }

  const sites = planted.filter((text) => text.startsWith("canary-site"));
  for (const source_site of sites) {
    await api.call({ method: "POST", path: "/v1/erase", body: { ...scope, target: { source_site } } });
  }
  await database.db.script("vacuum analyze");

  expect(await scanDatabase(database.db, needles)).toEqual([]);
  expect(await verifyScope({ db: database.db }, scopeId)).toEqual([]);
  const read = await api.call({ method: "GET", path: `/v1/memories/${kept}`, query: { ...keeper } });
  expect(read.body).toMatchObject({ content: "stays here" });
  // Statistics are made anew where a table has rows; see docs/erasure.md.
  expect(await scanStatistics(database.db, planted)).toEqual([]);
});
