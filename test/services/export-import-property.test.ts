import { afterAll, beforeAll, expect, it } from "@jest/globals";
import fc from "fast-check";
import { sql } from "../../src/db/sql.js";
import { verifyScope } from "../../src/services/verify.js";
import { exported, imported } from "../support/export-calls.js";
import { startLocalApi, type LocalApi } from "../support/local-api.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";
import { uniqueName } from "../support/unique-name.js";
import { idOf } from "../support/written-history.js";

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

const user = (): { user_id: string; project: string } => ({ user_id: uniqueName("user"), project: "p" });

async function verifyOf(of: LocalApi, scope: { user_id: string; project: string }): Promise<unknown[]> {
  const [row] = await of.bench.db.run<{ id: number }>(sql`
    select id from scopes where user_id = ${scope.user_id} and project = ${scope.project}`);
  return await verifyScope({ db: of.bench.db }, row!.id);
}

const Step = fc.oneof(
  fc.record({
    do: fc.constant("create" as const),
    content: fc.string({ minLength: 1, maxLength: 30, unit: "grapheme" }),
    tags: fc.uniqueArray(fc.string({ minLength: 1, maxLength: 8, unit: "grapheme" }), { maxLength: 3 }),
    metadata: fc.dictionary(fc.string({ maxLength: 6, unit: "grapheme" }), fc.jsonValue({ maxDepth: 2 }), {
      maxKeys: 4,
    }),
    external: fc.option(fc.constantFrom("x", "y")),
    source: fc.option(fc.nat(20)),
  }),
  fc.record({
    do: fc.constant("update" as const),
    which: fc.nat(20),
    content: fc.string({ minLength: 1, maxLength: 20 }),
  }),
  fc.record({
    do: fc.constantFrom("delete" as const, "erase" as const, "reject" as const, "approve" as const),
    which: fc.nat(20),
  }),
);

it("after any writes export, import and export give the same bytes, and everything agrees", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(Step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const [from, to] = [user(), user()];
      const ids: string[] = [];
      for (const step of steps) await take(step, from, ids);
      const text = await exported(api, from);
      const { status, body } = await imported({ api: other, scope: to }, text);
      expect({ status, body }).toEqual({ status: 200, body: { created: body.created, updated: 0, unchanged: 0 } });
      expect(await exported(other, to)).toBe(text);
      if (ids.length > 0) expect(await verifyOf(other, to)).toEqual([]);
    }),
    { numRuns: 25 },
  );
});

/** Does one step, which may well be refused. */
async function take(
  step: typeof Step extends fc.Arbitrary<infer T> ? T : never,
  scope: Scope,
  ids: string[],
): Promise<void> {
  const id = "which" in step ? ids[step.which % Math.max(ids.length, 1)] : undefined;
  switch (step.do) {
    case "create": {
      const { content, tags, metadata, external, source } = step;
      const sourceId = source === null ? undefined : ids[source];
      const body = {
        ...scope,
        content,
        tags,
        metadata,
        external_id: external,
        source_memory_ids: sourceId === undefined ? [] : [sourceId],
      };
      const reply = await api.call({ method: "POST", path: "/v1/memories", body });
      if (reply.status < 300 && !ids.includes(idOf(reply))) ids.push(idOf(reply));
      return;
    }
    case "update":
      await api.call({
        method: "PATCH",
        path: `/v1/memories/${String(id)}`,
        body: { ...scope, content: step.content },
      });
      return;
    case "delete":
      await api.call({ method: "DELETE", path: `/v1/memories/${String(id)}`, query: scope });
      return;
    case "erase":
      await api.call({
        method: "POST",
        path: "/v1/erase",
        body: { ...scope, target: { memory_id: String(id) }, derived: "keep" },
      });
      return;
    default:
      await api.call({
        method: "POST",
        path: `/v1/memories/${String(id)}/review`,
        body: { ...scope, action: step.do },
      });
  }
}
