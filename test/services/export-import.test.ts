import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { sql } from "../../src/db/sql.js";
import { verifyScope } from "../../src/services/verify.js";
import { exported, imported, linesOf, textOf, type Line } from "../support/export-calls.js";
import { startLocalApi, type LocalApi } from "../support/local-api.js";
import { readScopeState } from "../support/scope-state.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";
import { uniqueName } from "../support/unique-name.js";
import { expectOk, idOf, scopeIdOf, writeHistory } from "../support/written-history.js";

let first: TestDatabase;
let second: TestDatabase;
let api: LocalApi;
/** Another server on another database. */
let other: LocalApi;

beforeAll(async () => {
  [first, second] = [await openTestDatabase(), await openTestDatabase()];
  [api, other] = [await startLocalApi(first.db), await startLocalApi(second.db)];
});

afterAll(async () => {
  await api.close();
  await other.close();
  await first.close();
  await second.close();
});

type Scope = Readonly<Record<string, string>>;

const workspace = (): { workspace_id: string; agent_id: string } => ({
  workspace_id: uniqueName("workspace"),
  agent_id: "eve",
});
const user = (): { user_id: string; project: string } => ({ user_id: uniqueName("user"), project: "p" });

async function disagreements(of: LocalApi, scope: Scope): Promise<unknown[]> {
  return await verifyScope({ db: of.bench.db }, await scopeIdOf(of, scope));
}

/** A history with memories of every kind: changed, reviewed, deleted, erased, derived, pending, granted. */
async function richHistory(): Promise<{ scope: Scope; text: string }> {
  const { scope, ids } = await writeHistory(api);
  await expectOk(api, {
    method: "PATCH",
    path: `/v1/memories/${ids.named}`,
    body: { ...scope, content: "five", metadata: { "10": 1, "9": { b: [1.5, null], a: "ü" } } },
  });
  await expectOk(api, {
    method: "POST",
    path: `/v1/memories/${ids.source}/review`,
    body: { ...scope, action: "approve" },
  });
  const erased = idOf(
    await expectOk(api, { method: "POST", path: "/v1/memories", body: { ...scope, content: "erased" } }),
  );
  await expectOk(api, {
    method: "POST",
    path: "/v1/memories",
    body: { ...scope, content: "of it", source_memory_ids: [erased] },
  });
  await expectOk(api, {
    method: "POST",
    path: "/v1/erase",
    body: { ...scope, target: { memory_id: erased }, derived: "keep" },
  });
  return { scope, text: await exported(api, scope) };
}

describe("an export", () => {
  it("has a header, then every memory by id with its revisions, keys in order, and nothing of the scope's name", async () => {
    const { scope, text } = await richHistory();
    const lines = linesOf(text);
    expect(lines[0]).toEqual({ kind: "memgate_export", version: 1, partition: "workspace" });
    const names = lines.slice(1).map(({ id, kind, revision }) => [id, kind === "memory" ? 0 : revision].join(" "));
    expect(names).toEqual(names.toSorted());
    expect(lines.filter((line) => line.erased === true).map((line) => Object.keys(line))).toEqual([
      ["created_at", "deleted_at", "erased", "erased_at", "id", "kind", "revision", "updated_at"],
    ]);
    expect(
      lines.filter((line) => line.kind === "memory" && "grants" in line && (line.grants as unknown[]).length > 0),
    ).toHaveLength(1);
    expect(lines.filter((line) => line.review === "approved")).toHaveLength(1);
    expect(text).toContain('"metadata":{"10":1,"9":{"a":"ü","b":[1.5,null]}}');
    expect(text).not.toContain(scope.workspace_id);
    expect(await exported(api, scope)).toBe(text);
  });

  it("of a scope that nothing was ever written to is its header", async () => {
    expect(await exported(api, user())).toBe('{"kind":"memgate_export","partition":"user","version":1}\n');
  });

  it("is of one moment, whatever is written meanwhile", async () => {
    const scope = user();
    const writing = Promise.all(
      Array.from({ length: 30 }, async (_, index) => {
        return await expectOk(api, {
          method: "POST",
          path: "/v1/memories",
          body: { ...scope, content: `note ${String(index)}` },
        });
      }),
    );
    const texts = await Promise.all(Array.from({ length: 5 }, async () => await exported(api, scope)));
    await writing;
    for (const text of texts) {
      const { body, status } = await imported({ api: other, scope: user() }, text);
      expect({ status, body }).toMatchObject({ status: 200, body: { updated: 0, unchanged: 0 } });
    }
  });
});

describe("an import", () => {
  it("restores a scope of another name in another database: its export is the same, byte for byte", async () => {
    const { text } = await richHistory();
    const scope = workspace();
    expect((await imported({ api: other, scope: scope }, text)).body).toEqual({ created: 7, updated: 0, unchanged: 0 });
    expect(await exported(other, scope)).toBe(text);
    expect(await disagreements(other, scope)).toEqual([]);
    const state = await readScopeState(other.bench.db, await scopeIdOf(other, scope));
    const kinds = state.change_events!.map((event) => (JSON.parse(event) as { kind: string }).kind);
    expect(new Set(kinds)).toEqual(new Set(["created", "derived", "updated", "reviewed", "deleted", "erased"]));
  });

  it("of what is there already changes nothing", async () => {
    const { scope, text } = await richHistory();
    const before = await readScopeState(first.db, await scopeIdOf(api, scope));
    expect((await imported({ api, scope: scope }, text)).body).toEqual({ created: 0, updated: 0, unchanged: 7 });
    expect(await readScopeState(first.db, await scopeIdOf(api, scope))).toEqual(before);
  });

  it("carries a memory on to its later revisions, and what hangs on it", async () => {
    const from = user();
    const to = user();
    const source = idOf(
      await expectOk(api, { method: "POST", path: "/v1/memories", body: { ...from, content: "old words" } }),
    );
    await expectOk(api, {
      method: "POST",
      path: "/v1/memories",
      body: { ...from, content: "derived", source_memory_ids: [source] },
    });
    await imported({ api: other, scope: to }, await exported(api, from));
    await expectOk(api, { method: "PATCH", path: `/v1/memories/${source}`, body: { ...from, content: "new words" } });
    const gone = idOf(
      await expectOk(api, { method: "POST", path: "/v1/memories", body: { ...from, content: "brief" } }),
    );
    await expectOk(api, { method: "DELETE", path: `/v1/memories/${gone}`, query: from });
    const text = await exported(api, from);
    expect((await imported({ api: other, scope: to }, text)).body).toEqual({ created: 1, updated: 1, unchanged: 1 });
    expect(await exported(other, to)).toBe(text);
    const listed = await expectOk(other, { method: "GET", path: "/v1/memories", query: to });
    expect((listed.body.memories as { content: string }[]).map((memory) => memory.content)).toEqual(["new words"]);
    await expectOk(api, { method: "DELETE", path: `/v1/memories/${source}`, query: from });
    await imported({ api: other, scope: to }, await exported(api, from));
    expect(await exported(other, to)).toBe(await exported(api, from));
    expect(await verifyOf(other, to)).toEqual([]);
  });

  it("leaves what was not embedded in time to the loop", async () => {
    const { text } = await richHistory();
    const scope = workspace();
    other.bench.embedder.setDown(true);
    expect((await imported({ api: other, scope: scope }, text)).status).toBe(200);
    other.bench.embedder.setDown(false);
    expect(await exported(other, scope)).toBe(text);
    while ((await other.bench.services.embedPending(new AbortController().signal)) !== null);
    const [missing] = await second.db.run<{ count: number }>(sql`
      select count(*) as "count" from candidates where scope_id = ${await scopeIdOf(other, scope)} and embedding is null`);
    expect(missing!.count).toBe(0);
    expect(await disagreements(other, scope)).toEqual([]);
  });

  it("under a key is done once", async () => {
    const { text } = await richHistory();
    const scope = workspace();
    const key = uniqueName("key");
    const once = await imported({ api: other, scope: scope }, text, key);
    expect(await imported({ api: other, scope: scope }, text, key)).toEqual(once);
  });
});

describe("409: an import that says otherwise", () => {
  const cases: Record<string, { change: (lines: Line[]) => void; field: string }> = {
    "another content": { change: (lines) => (lines[2]!.content = "forged"), field: "lines[2].content" },
    "another tag": { change: (lines) => (lines[2]!.tags = ["forged"]), field: "lines[2].tags" },
    "another grant": { change: (lines) => (lines[1]!.grants = []), field: "lines[1].grants" },
    "another author": { change: (lines) => (lines[1]!.agent_id = "eve"), field: "lines[1].agent_id" },
  };
  it.each(Object.entries(cases))("%s", async (_what, { change, field }) => {
    const { scope } = await writeHistory(api);
    const before = await exported(api, scope);
    const lines = linesOf(before);
    change(lines);
    const refused = await imported({ api, scope: scope }, textOf(lines));
    expect(refused).toMatchObject({ status: 409, body: { code: "import_conflict", errors: [{ path: field }] } });
    expect(await exported(api, scope)).toBe(before);
  });

  it("of what has gone on, was deleted or was erased since, and revives nothing", async () => {
    const { scope, ids } = await writeHistory(api);
    const old = await exported(api, scope);
    await expectOk(api, { method: "PATCH", path: `/v1/memories/${ids.pending}`, body: { ...scope, content: "later" } });
    await expectOk(api, { method: "DELETE", path: `/v1/memories/${ids.source}`, query: scope });
    await expectOk(api, { method: "POST", path: "/v1/erase", body: { ...scope, target: { memory_id: ids.named } } });
    const refused = await imported({ api, scope: scope }, old);
    expect(refused).toMatchObject({ status: 409, body: { code: "import_conflict" } });
    expect((refused.body.errors as { path: string }[]).map(({ path }) => path.replace(/^.*\./, ""))).toEqual([
      "revision",
      "revision",
      "revision",
    ]);
  });

  it("an external id that another memory of the author has", async () => {
    const from = user();
    const to = user();
    await expectOk(api, { method: "POST", path: "/v1/memories", body: { ...from, content: "a", external_id: "x" } });
    await expectOk(api, { method: "POST", path: "/v1/memories", body: { ...to, content: "b", external_id: "x" } });
    const refused = await imported({ api, scope: to }, await exported(api, from));
    expect(refused).toMatchObject({
      status: 409,
      body: { code: "import_conflict", errors: [{ path: "lines[2].external_id" }] },
    });
  });
});

async function verifyOf(of: LocalApi, scope: { user_id: string; project: string }): Promise<unknown[]> {
  const [row] = await of.bench.db.run<{ id: number }>(sql`
    select id from scopes where user_id = ${scope.user_id} and project = ${scope.project}`);
  return await verifyScope({ db: of.bench.db }, row!.id);
}
