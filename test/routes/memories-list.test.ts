import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { Response } from "supertest";
import { bodyOf, problemOf, startApi, wrongFields, type Api, type MemoryBody } from "../support/api.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";
import { uniqueName } from "../support/unique-name.js";

interface Page {
  readonly memories: MemoryBody[];
  readonly next_cursor: string | null;
}

type Query = Record<string, string | number | string[]>;

let database: TestDatabase;
let api: Api;
let now = new Date("2026-03-01T00:00:00Z");

beforeAll(async () => {
  database = await openTestDatabase();
  api = await startApi({ db: database.db, clock: () => now });
});

afterAll(async () => {
  await api.close();
  await database.close();
});

async function list(query: Query): Promise<Response> {
  return await api.request.get("/v1/memories").query(query);
}

async function page(query: Query): Promise<Page> {
  return bodyOf<Page>(await list(query), 200);
}

/** Every page to the end. */
async function pages(query: Query): Promise<MemoryBody[][]> {
  const all: MemoryBody[][] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const next: Page = await page(cursor === "" ? query : { ...query, cursor });
    all.push(next.memories);
    cursor = next.next_cursor;
  }
  return all;
}

/** Twelve memories: three written at each of four times, given out of order. */
async function storeTwelve(user_id: string): Promise<void> {
  for (const minute of [2, 0, 3, 1]) {
    now = new Date(Date.UTC(2026, 2, 1, 0, minute));
    const memories = [0, 1, 2].map((n) => ({ content: `${String(minute)}/${String(n)}`, tags: [`t${String(n)}`] }));
    bodyOf(await api.request.post("/v1/memories/batch").send({ user_id, memories }), 200);
  }
}

describe("GET /v1/memories", () => {
  it("200: lists the newest first, and those of one time by id from the last one", async () => {
    const user_id = uniqueName("user");
    await storeTwelve(user_id);
    const { memories, next_cursor } = await page({ user_id });
    expect(next_cursor).toBeNull();
    expect(memories.map((memory) => memory.content)).toEqual(
      [3, 2, 1, 0].flatMap((minute) => [2, 1, 0].map((n) => `${String(minute)}/${String(n)}`)),
    );
  });

  it.each([1, 2, 5, 11, 12, 200])("200: goes through all of them by pages of %i, none twice", async (limit) => {
    const user_id = uniqueName("user");
    await storeTwelve(user_id);
    const found = await pages({ user_id, limit });
    expect(found.map((memories) => memories.length)).toEqual(pageSizes(12, limit));
    expect(found.flat()).toEqual((await page({ user_id })).memories);
  });

  it("200: goes on where it was while memories are added and deleted", async () => {
    const user_id = uniqueName("user");
    await storeTwelve(user_id);
    const first = await page({ user_id, limit: 5 });
    now = new Date(Date.UTC(2026, 2, 2));
    await api.store({ user_id, content: "newer" });
    bodyOf(await api.request.delete(`/v1/memories/${first.memories[4]?.id ?? ""}`).query({ user_id }), 200);
    const rest = await pages({ user_id, limit: 5, cursor: first.next_cursor ?? "" });
    expect(rest.flat().map((memory) => memory.content)).toEqual(["2/0", "1/2", "1/1", "1/0", "0/2", "0/1", "0/0"]);
  });

  it("200: pages through a filter, and the page size may change on the way", async () => {
    const user_id = uniqueName("user");
    await storeTwelve(user_id);
    const query = { user_id, tags_any: ["t0", "t2"] };
    const first = await page({ ...query, limit: 3 });
    const rest = await page({ ...query, limit: 100, cursor: first.next_cursor ?? "" });
    expect([...first.memories, ...rest.memories].map((memory) => memory.content)).toEqual(
      [3, 2, 1, 0].flatMap((minute) => [2, 0].map((n) => `${String(minute)}/${String(n)}`)),
    );
  });

  it("200: is empty where nothing was ever written", async () => {
    expect(await page({ user_id: uniqueName("user") })).toEqual({ memories: [], next_cursor: null });
  });

  it("400: refuses a cursor with another scope or other filters", async () => {
    const user_id = uniqueName("user");
    await storeTwelve(user_id);
    const cursor = (await page({ user_id, limit: 1, tags_any: "t1" })).next_cursor ?? "";
    const others: Query[] = [
      { user_id },
      { user_id, tags_any: "t2" },
      { user_id, tags_all: "t1" },
      { user_id, tags_any: "t1", source_site: "slack" },
      { user_id, tags_any: "t1", project: "p" },
      { user_id, tags_any: "t1", agent_id: "a" },
      { user_id: uniqueName("user"), tags_any: "t1" },
      { workspace_id: user_id, agent_id: "a", tags_any: "t1" },
    ];
    for (const query of others) {
      const problem = problemOf(await list({ ...query, cursor }), "invalid_cursor");
      expect(problem.errors?.map((error) => error.path)).toEqual(["cursor"]);
    }
    expect((await page({ user_id, tags_any: "t1", cursor })).memories).toHaveLength(3);
  });

  it("400: refuses a cursor that is not one of its own", async () => {
    const user_id = uniqueName("user");
    await storeTwelve(user_id);
    const cursor = (await page({ user_id, limit: 1 })).next_cursor ?? "";
    const [version, time, id, digest] = JSON.parse(Buffer.from(cursor, "base64url").toString()) as unknown[];
    const forged = [
      [2, time, id, digest],
      [version, "now", id, digest],
      [version, 1e300, id, digest],
      [version, null, id, digest],
      [version, time, "no-uuid", digest],
      [version, time, `${String(id)}'`, digest],
      [version, time, id, `${String(digest)}x`],
      [version, time, id],
      { version, time, id, digest },
    ].map((parts) => Buffer.from(JSON.stringify(parts)).toString("base64url"));
    for (const wrong of ["x", "null", "%%%", cursor.slice(0, -2), cursor.slice(3), `x${cursor}`, ...forged]) {
      problemOf(await list({ user_id, cursor: wrong }), "invalid_cursor");
    }
    expect(wrongFields(await list({ user_id, cursor: "x".repeat(513) }))).toEqual(["cursor"]);
  });

  it("400: takes a limit from 1 to 200", async () => {
    const user_id = uniqueName("user");
    for (const limit of ["0", "201", "-1", "1.5", "1e1", "ten", "", " 5", "0x5", "99999"]) {
      expect(wrongFields(await list({ user_id, limit }))).toContain("limit");
    }
    expect(wrongFields(await list({ user_id, limit: ["1", "2"] }))).toContain("limit");
  });

  it("400: names a query parameter that it does not know", async () => {
    const user_id = uniqueName("user");
    for (const name of ["offset", "tags", "visibility", "USER_ID", "filter[tags]", "__proto__", "constructor"]) {
      const reply = await api.request.get(`/v1/memories?user_id=${user_id}&${encodeURIComponent(name)}=1`);
      expect(wrongFields(reply)).toEqual([name]);
    }
  });

  it.each([
    ["user_id", "user_id=u&user_id=v"],
    ["user_id", "user_id=%00"],
    ["user_id", "workspace_id=w&agent_id=a&user_id=u"],
    ["agent_id", "workspace_id=w"],
    ["event_from", "user_id=u&event_from=2026-02-30T00:00:00Z"],
    ["event_before", "user_id=u&event_before=2026-02-28T00:00:00"],
    ["namespace_scope", "user_id=u&namespace_scope=a//b"],
    ["tags_any[1]", "user_id=u&tags_any=a&tags_any=%20"],
    ["tags_all", `user_id=u${"&tags_all=t".repeat(33)}`],
    ["external_id", "user_id=u&external_id="],
  ])("400: names the parameter that is wrong: %s in %s", async (field, query) => {
    expect(new Set(wrongFields(await api.request.get(`/v1/memories?${query}`)))).toEqual(new Set([field]));
  });

  it("400: takes no body", async () => {
    const reply = await api.request.get("/v1/memories").query({ user_id: "u" }).send({ user_id: "u" });
    expect(wrongFields(reply)).toEqual(["body"]);
  });
});

function pageSizes(count: number, limit: number): number[] {
  return Array.from({ length: Math.ceil(count / limit) }, (_, n) => Math.min(limit, count - n * limit));
}
