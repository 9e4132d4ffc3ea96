import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { Response } from "supertest";
import { bodyOf, problemOf, startApi, type Api, type MemoryBody } from "../support/api.js";
import { openTestDatabase, testTarget, type TestDatabase } from "../support/test-database.js";
import { uniqueName } from "../support/unique-name.js";
import { sql } from "../../src/db/sql.js";

let database: TestDatabase;
let api: Api;

beforeAll(async () => {
  database = await openTestDatabase();
  api = await startApi({ db: database.db });
});

afterAll(async () => {
  await api.close();
  await database.close();
});

const times = <T>(count: number, work: (index: number) => PromiseLike<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, async (_, index) => await work(index)));

async function listed(user_id: string): Promise<MemoryBody[]> {
  const reply = await api.request.get("/v1/memories").query({ user_id, limit: 200 });
  return bodyOf<{ memories: MemoryBody[] }>(reply, 200).memories;
}

function countOf(replies: readonly Response[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

describe("requests at the same time", () => {
  it("create 30 memories in a scope that is new: all are stored and found", async () => {
    const user_id = uniqueName("user");
    const stored = await times(30, async (n) => await api.store({ user_id, content: `zebra ${String(n)}` }));
    const memories = await listed(user_id);
    expect(new Set(memories.map((memory) => memory.id))).toEqual(new Set(stored.map((memory) => memory.id)));
    expect(memories).toHaveLength(30);
    const found = await api.search({ user_id, query: "zebra", threshold: 0, limit: 100 });
    expect(found.count).toBe(30);
  });

  it("change one revision 20 times: exactly one does, the others are told", async () => {
    const user_id = uniqueName("user");
    const { id } = await api.store({ user_id, content: "start" });
    const replies = await times(20, (n) =>
      api.request.patch(`/v1/memories/${id}`).send({ user_id, content: `by ${String(n)}`, expected_revision: 1 }),
    );
    expect(countOf(replies)).toEqual({ 200: 1, 409: 19 });
    for (const reply of replies.filter((each) => each.status === 409)) {
      expect(problemOf(reply, "revision_conflict").revision).toBe(2);
    }
    const winner = replies.find((reply) => reply.status === 200)?.body as MemoryBody;
    expect(await api.read(id, { user_id })).toEqual(winner);
  });

  it("change a memory 20 times without a precondition: every change is a revision", async () => {
    const user_id = uniqueName("user");
    const { id } = await api.store({ user_id, content: "start" });
    const replies = await times(20, (n) =>
      api.request.patch(`/v1/memories/${id}`).send({ user_id, tags: [`t${String(n)}`] }),
    );
    const revisions = replies.map((reply) => bodyOf<MemoryBody>(reply, 200).revision);
    expect(revisions.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, n) => n + 2));
  });

  it("store one external_id 20 times: one memory, created once", async () => {
    const user_id = uniqueName("user");
    const replies = await times(20, (n) =>
      api.request.post("/v1/memories").send({ user_id, content: `content ${String(n)}`, external_id: "one" }),
    );
    expect(countOf(replies)).toEqual({ 200: 19, 201: 1 });
    expect(await listed(user_id)).toMatchObject([{ external_id: "one", revision: 20 }]);
    const found = await api.search({ user_id, query: "content", threshold: 0, limit: 100 });
    expect(found.gate.considered).toBe(1);
  });

  it("delete one memory 10 times: exactly one does", async () => {
    const user_id = uniqueName("user");
    const { id } = await api.store({ user_id, content: "start" });
    const replies = await times(10, () => api.request.delete(`/v1/memories/${id}`).query({ user_id }));
    expect(countOf(replies)).toEqual({ 200: 1, 404: 9 });
  });

  it("change, delete and read in several scopes: nothing fails and nothing is lost", async () => {
    const users = Array.from({ length: 4 }, () => uniqueName("user"));
    const replies = await times(48, (n) => {
      const user_id = users[n % 4];
      const memories = [{ content: `a ${String(n)}` }, { content: `b ${String(n)}`, external_id: `e${String(n % 3)}` }];
      if (n % 6 === 5) return api.request.post("/v1/memories/search").send({ user_id, query: "a" });
      return api.request.post("/v1/memories/batch").send({ user_id, memories });
    });
    expect(countOf(replies)).toEqual({ 200: 48 });
    const counts = await Promise.all(users.map(async (user_id) => (await listed(user_id)).length));
    // 40 batches of a new memory each, and one memory for each of the external ids that a user saw.
    expect(counts.reduce((sum, count) => sum + count)).toBe(40 + namesSeen());
  });

  const onPostgres = testTarget().kind === "postgres" ? it : it.skip;

  onPostgres("write to one scope while another one is being written", async () => {
    const [locked, free] = [uniqueName("user"), uniqueName("user")];
    await api.store({ user_id: locked, content: "x" });
    await database.db.transaction(async (tx) => {
      await tx.run(sql`select id from scopes where user_id = ${locked} for update`);
      const waiting = Promise.resolve(api.request.post("/v1/memories").send({ user_id: locked, content: "waits" }));
      expect((await api.store({ user_id: free, content: "does not wait" })).revision).toBe(1);
      expect(await Promise.race([waiting, api.search({ user_id: locked, query: "x" })])).toHaveProperty("gate");
    });
    await api.store({ user_id: locked, content: "goes on" });
    expect(await listed(locked)).toHaveLength(3);
  });
});

/** External ids that each of the four users of the mixed test wrote, added up. */
function namesSeen(): number {
  const seen = new Set<string>();
  for (let n = 0; n < 48; n += 1) if (n % 6 !== 5) seen.add(`${String(n % 4)} ${String(n % 3)}`);
  return seen.size;
}
