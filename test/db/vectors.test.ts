import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { Queryable } from "../../src/db/database.js";
import { insertBindings } from "../../src/db/queries/bindings.js";
import { projectCandidates } from "../../src/db/queries/candidates.js";
import { scoreCandidates } from "../../src/db/queries/score-candidates.js";
import { ensureScope } from "../../src/db/queries/scopes.js";
import { ensureSpace, serveSpace } from "../../src/db/queries/spaces.js";
import { insertMemories, type NewMemoryRow } from "../../src/db/queries/write-memories.js";
import { sql, VectorArrayParameter, VectorParameter } from "../../src/db/sql.js";
import { cosine } from "../support/cosine.js";
import { scoreQueryOf } from "../support/score-query.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";
import { uniqueName } from "../support/unique-name.js";

let database: TestDatabase;

beforeAll(async () => {
  database = await openTestDatabase();
});

afterAll(async () => {
  await database.close();
});

/** The bytes of a vector as the server has it. */
function decode(text: string): Float32Array {
  const bytes = Buffer.from(text, "base64");
  expect([bytes.readInt16BE(0), bytes.readInt16BE(2)]).toEqual([(bytes.length - 4) / 4, 0]);
  return Float32Array.from({ length: bytes.readInt16BE(0) }, (_, index) => bytes.readFloatBE(4 + 4 * index));
}

/** Values from everywhere in float32: tiny, huge, negative zero, the last bit. */
const HARD = Float32Array.from([1, -1, 0, -0, 1e-45, -1e-38, 3.4028234e38, 1 / 3, Math.fround(0.1), 16777217]);

describe("a vector", () => {
  it("comes back to the last bit", async () => {
    const [row] = await database.db.run<{ bytes: string }>(
      sql`select encode(vector_send(${new VectorParameter(HARD)}::vector), 'base64') as "bytes"`,
    );
    expect(decode(row?.bytes ?? "")).toEqual(HARD);
  });

  it("that is a part of a longer array is sent alone", async () => {
    const part = HARD.subarray(3, 6);
    const [row] = await database.db.run<{ bytes: string }>(
      sql`select encode(vector_send(${new VectorParameter(part)}::vector), 'base64') as "bytes"`,
    );
    expect(decode(row?.bytes ?? "")).toEqual(Float32Array.from(part));
  });

  it("comes back from a list of them, with a null where there is none", async () => {
    const vectors = [HARD, null, new Float32Array(2000).fill(0.5), Float32Array.of(7)];
    const rows = await database.db.run<{ bytes: string | null }>(sql`
      select encode(vector_send(v), 'base64') as "bytes"
      from unnest(${new VectorArrayParameter(vectors)}::vector[]) with ordinality as t(v, n)
      order by n
    `);
    expect(rows.map(({ bytes }) => (bytes === null ? null : decode(bytes)))).toEqual(vectors);
  });

  it("may be in a list of none or of nulls only", async () => {
    for (const vectors of [[], [null], [null, null]]) {
      const rows = await database.db.run(
        sql`select v from unnest(${new VectorArrayParameter(vectors)}::vector[]) as t(v)`,
      );
      expect(rows).toEqual(vectors.map((v) => ({ v })));
    }
  });

  it("of 16,000 dimensions can be sent", async () => {
    const [row] = await database.db.run<{ dims: number }>(
      sql`select vector_dims(${new VectorParameter(new Float32Array(16_000).fill(1))}::vector) as "dims"`,
    );
    expect(row?.dims).toBe(16_000);
  });

  it("stands beside other values in a statement, in a transaction too", async () => {
    const row = await database.db.transaction(async (tx) => {
      const vector = new VectorParameter(Float32Array.of(1, 2));
      return await tx.run(sql`select ${"a"}::text as "a", ${vector}::vector::text as "v", ${3}::integer as "n"`);
    });
    expect(row).toEqual([{ a: "a", v: "[1,2]", n: 3 }]);
  });
});

describe("pgvector", () => {
  it("answers SQLSTATE 22000 to vectors of different dimensions", async () => {
    const [two, three] = [new VectorParameter(Float32Array.of(1, 2)), new VectorParameter(Float32Array.of(1, 2, 3))];
    for (const operator of [sql`<=>`, sql`<#>`, sql`<->`]) {
      const comparison = database.db.run(sql`select ${two}::vector ${operator} ${three}::vector`);
      await expect(comparison).rejects.toMatchObject({ code: "22000" });
    }
  });
});

describe("the cosine of a stored vector", () => {
  const [a, b] = [Float32Array.of(3, 4, 0, 1), Float32Array.of(4, 3, -1, 0)];
  const scaled = (vector: Float32Array, factor: number): Float32Array => vector.map((value) => value * factor);

  it.each([1e-37, 1e-30, 1e-15, 1e-6, 1, 1e6, 1e15, 1e30, 1e37])(
    "is right for a length of about %d",
    async (length) => {
      for (const query of [b, scaled(b, 1e-15), scaled(b, 1e15), scaled(b, length)]) {
        const similarity = await storedCosine(database.db, { stored: scaled(a, length), query });
        expect(similarity).toBeCloseTo(cosine(a, b), 5);
      }
    },
  );

  it("is within -1 and 1, and exactly so for the vector itself and its opposite", async () => {
    const vector = Float32Array.from({ length: 384 }, (_, n) => Math.sin(n * n));
    expect(await storedCosine(database.db, { stored: vector, query: vector })).toBeCloseTo(1, 6);
    expect(await storedCosine(database.db, { stored: vector, query: scaled(vector, -1) })).toBeCloseTo(-1, 6);
    for (let seed = 1; seed < 20; seed += 1) {
      const one = Float32Array.from({ length: 32 }, (_, n) => Math.sin(seed * n + 1));
      const similarity = await storedCosine(database.db, { stored: one, query: one });
      expect(Math.abs(similarity ?? NaN)).toBeLessThanOrEqual(1);
    }
  });
});

it("of 16,000 dimensions is stored, found beside others, and moved into its candidate", async () => {
  const [stored, query] = [3, 5].map((step) =>
    Float32Array.from({ length: 16_000 }, (_, n) => Math.sin(n * step) + 0.5),
  );
  const expected = cosine(query!, stored);
  expect(await storedCosine(database.db, { stored: stored!, query: query! })).toBeCloseTo(expected, 5);
  expect(await storedCosine(database.db, { stored: stored!, query: query!, serve: true })).toBeCloseTo(expected, 5);
});

/** The cosine that a search computes for one memory with this vector, through the statements that writes use. */
async function storedCosine(
  db: TestDatabase["db"],
  vectors: { readonly stored: Float32Array; readonly query: Float32Array; readonly serve?: boolean },
): Promise<number | null | undefined> {
  const names = { project: null, mission: null, userId: uniqueName("user"), workspaceId: null };
  const scopeId = await ensureScope(db, 1, names);
  const dimensions = vectors.stored.length;
  const space = { provider: "test", model: uniqueName("model"), revision: "", dimensions, recipe: "r" };
  const spaceId = await ensureSpace(db, space);
  const at = new Date("2026-01-01T00:00:00Z");
  if (vectors.serve === true) await serveSpace(db, spaceId, at);
  await db.inScope(scopeId).transaction(async (tx) => {
    await storeOne(tx, { scopeId, spaceId, at, vector: vectors.stored });
  });
  const view = { scopeId, viewer: null, now: at, past: false };
  const { hits } = await scoreCandidates(db.inScope(scopeId), view, scoreQueryOf({ spaceId, vector: vectors.query }));
  expect(hits).toHaveLength(1);
  return hits[0]?.similarity;
}

const ID = "0190a0a0-0000-7000-8000-000000000000";

async function storeOne(
  tx: Queryable,
  what: { readonly scopeId: number; readonly spaceId: number; readonly at: Date; readonly vector: Float32Array },
): Promise<void> {
  const { scopeId, spaceId, at, vector } = what;
  const row: NewMemoryRow = {
    ...{ id: ID, memoryNo: 1, revision: 1, contentRevision: 1, agentId: null, recordedAt: at, eventAt: at },
    ...{ content: "x", contentDigest: "d", exactLength: 1, stemmedLength: 1, tags: [], importance: 0, trust: 1 },
    ...{ namespace: null, sourceSite: null, sourceUrl: null, sessionId: null, episodeType: null, metadata: {} },
    ...{ expiresAt: null, externalId: null, visibility: null, contentKey: "k", review: "none", depth: 0 },
  };
  await insertMemories(tx, scopeId, [row]);
  const binding = { memoryId: ID, contentRevision: 1, vector, truncated: false };
  await insertBindings(tx, scopeId, { spaceId, at, rows: [binding] });
  await projectCandidates(tx, scopeId, [ID]);
}
