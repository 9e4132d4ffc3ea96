import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { sql } from "../../src/db/sql.js";
import { verify, verifyScope } from "../../src/services/verify.js";
import { startLocalApi, type LocalApi } from "../support/local-api.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";
import { expectOk, writeHistory } from "../support/written-history.js";
import { PLANTS } from "./verify-plants.js";

let database: TestDatabase;
let api: LocalApi;

beforeAll(async () => {
  database = await openTestDatabase();
  api = await startLocalApi(database.db);
});

afterAll(async () => {
  await api.close();
  await database.close();
});

describe("verify", () => {
  it("finds nothing in a history that was only written to", async () => {
    const { scope, scopeId, ids } = await writeHistory(api);
    expect(await verifyScope(database, scopeId)).toEqual([]);
    const patch = { ...scope, content: "no ships in summer", tags: ["ships", "Ships", "ships"] };
    await expectOk(api, { method: "PATCH", path: `/v1/memories/${ids.derived}`, body: patch, key: "k" });
    await expectOk(api, { method: "DELETE", path: `/v1/memories/${ids.source}`, query: scope, key: "k" });
    expect(await verifyScope(database, scopeId)).toEqual([]);
  });

  it.each(Object.keys(PLANTS))("names %s, and nothing else", async (name) => {
    const { change, named } = PLANTS[name]!;
    const history = await writeHistory(api);
    await database.db.run(change(history));
    const found = await verifyScope(database, history.scopeId);
    const expected = named.map(([check, memory, detail]) => {
      return { check, memoryId: memory === null ? null : history.ids[memory], detail };
    });
    const plain = found.map((each) =>
      each.memoryId?.startsWith("00000000") === true ? { ...each, memoryId: null } : each,
    );
    expect(sorted(plain)).toEqual(sorted(expected));
  });

  it("goes through every scope and says in which one it was", async () => {
    const wrong = await writeHistory(api);
    await database.db.run(sql`update scopes set live_memories = 0 where id = ${wrong.scopeId}`);
    const found = new Set<number>();
    for await (const { scopeId } of verify(database)) found.add(scopeId);
    expect(found.has(wrong.scopeId)).toBe(true);
    expect(found.size).toBeGreaterThan(20);
  });

  it("sees one state of a scope that is being written to", async () => {
    const { scope, scopeId } = await writeHistory(api);
    const stop = new AbortController();
    const writer = (async () => {
      for (let n = 0; !stop.signal.aborted; n++) {
        const body = { ...scope, content: `number ${String(n)}`, external_id: String(n % 5) };
        await expectOk(api, { method: "POST", path: "/v1/memories", body });
      }
    })();
    for (let round = 0; round < 5; round++) expect(await verifyScope(database, scopeId)).toEqual([]);
    stop.abort();
    await writer;
  });

  it("reads long journals and many memories in pages, and names no more than it can hold", async () => {
    const { scope, scopeId } = await writeHistory(api);
    for (let batch = 0; batch < 3; batch++) {
      const memories = Array.from({ length: 500 }, (_, n) => ({ content: `page ${String(batch)} line ${String(n)}` }));
      await expectOk(api, { method: "POST", path: "/v1/memories/batch", body: { ...scope, memories } });
    }
    expect(await verifyScope(database, scopeId)).toEqual([]);
    await database.db.run(sql`
      insert into postings (scope_id, term, memory_no, frequency, length)
      select ${scopeId}, 1, n + 100000, 1, 1
      from generate_series(1, 10100) as n`);
    const found = await verifyScope(database, scopeId);
    expect(found).toHaveLength(10_001);
    expect(found.at(-1)).toEqual({
      check: "more",
      memoryId: null,
      detail: "there are others, which are not named",
    });
  });
});

function sorted<T>(list: readonly T[]): T[] {
  return [...list].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}
