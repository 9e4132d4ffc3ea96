import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { bodyOf, startApi, type Api, type MemoryBody } from "../support/api.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";
import { uniqueName } from "../support/unique-name.js";

let database: TestDatabase;
let api: Api;

const NOW = new Date("2026-05-06T07:08:09.123Z");

beforeAll(async () => {
  database = await openTestDatabase();
  api = await startApi({ db: database.db, clock: () => NOW });
});

afterAll(async () => {
  await api.close();
  await database.close();
});

/** Stores a memory from raw JSON fields and reads it back. */
async function roundTrip(fields: object | string): Promise<MemoryBody> {
  const user_id = uniqueName("user");
  const rest = typeof fields === "string" ? fields : JSON.stringify(fields).slice(1, -1);
  const body = `{"content":"A memory.","user_id":"${user_id}",${rest}}`;
  const reply = await api.request.post("/v1/memories").set("Content-Type", "application/json").send(body);
  const stored = bodyOf<MemoryBody>(reply, 201);
  expect(await api.read(stored.id, { user_id })).toEqual(stored);
  return stored;
}

const EVERY_FIELD = {
  content: "Alice prefers the window seat.",
  namespace: "work/travel",
  source_site: "mail.google.com",
  source_url: "https://mail.google.com/mail/u/0/#inbox/1",
  session_id: "session 7",
  episode_type: "preference",
  tags: ["travel", "seat"],
  importance: 0.25,
  trust: 0.75,
  metadata: { nested: { list: [1, "two", null, true, 0.1] }, empty: {} },
  event_at: "2026-01-02T03:04:05.678Z",
  expires_at: "2030-01-02T03:04:05.678Z",
  external_id: "mail-1",
};

describe("POST /v1/memories", () => {
  it("201: returns every field as it was given", async () => {
    const scope = { user_id: uniqueName("user"), agent_id: "agent 1", project: "p", mission: "m" };
    const stored = await api.store({ ...EVERY_FIELD, ...scope });
    expect(stored).toEqual({
      ...{ ...EVERY_FIELD, ...scope, workspace_id: null, visibility: null },
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      ...{ revision: 1, embedding_status: "ready", review: "none", source_memory_ids: [] },
      ...{ created_at: NOW.toISOString(), updated_at: NOW.toISOString() },
    });
    expect(await api.read(stored.id, scope)).toEqual(stored);
  });

  it("201: fills in the defaults, and null means the same as absent", async () => {
    const none = {
      ...{ namespace: null, source_site: null, source_url: null, session_id: null, episode_type: null },
      ...{ expires_at: null, external_id: null, visibility: null },
    };
    const defaults = { tags: [], importance: 0.5, trust: 1, metadata: {}, event_at: NOW.toISOString() };
    const absent = await roundTrip({ content: "x" });
    expect(absent).toMatchObject({ ...none, ...defaults, project: null, mission: null, agent_id: null });
    const nulls = Object.fromEntries(Object.keys({ ...none, ...defaults }).map((field) => [field, null]));
    expect(await roundTrip({ content: "x", ...nulls })).toMatchObject({ ...none, ...defaults });
  });

  it("201: a workspace's memory is visible to all of its agents unless it says otherwise", async () => {
    const scope = { workspace_id: uniqueName("workspace"), agent_id: "a" };
    expect(await api.store({ ...scope, content: "x" })).toMatchObject({ ...scope, visibility: "workspace" });
  });

  it("201: has the revision as ETag and says where the memory is", async () => {
    const user_id = uniqueName("user");
    const reply = await api.request.post("/v1/memories").send({ user_id, content: "x" });
    const { id } = bodyOf<MemoryBody>(reply, 201);
    expect(reply.headers).toMatchObject({ etag: '"1"', location: `/v1/memories/${id}` });
    const read = await api.request.get(reply.headers.location ?? "").query({ user_id });
    expect(read.headers.etag).toBe('"1"');
  });

  it("201: never shows a vector", async () => {
    const stored = await roundTrip({ source_site: "slack" });
    expect(Object.keys(stored).filter((key) => /vector|embedding/.test(key))).toEqual(["embedding_status"]);
    expect(Object.values(stored).filter((value) => Array.isArray(value) && value.length > 0)).toEqual([]);
  });

  it("201: keeps metadata, in one order of keys wherever it is shown", async () => {
    const given = `"metadata":{"zeta":1,"b":{"y":1,"x":[{"q":2,"p":1}]},"alpha":null}`;
    const stored = await roundTrip(given);
    expect(stored.metadata).toEqual({ zeta: 1, b: { y: 1, x: [{ q: 2, p: 1 }] }, alpha: null });
    const again = await roundTrip(`"metadata":{"alpha":null,"b":{"x":[{"p":1,"q":2}],"y":1},"zeta":1}`);
    expect(JSON.stringify(again.metadata)).toBe(JSON.stringify(stored.metadata));
  });

  it("201: keeps a __proto__ key in metadata as data", async () => {
    const { metadata } = await roundTrip(`"metadata":{"__proto__":{"admin":true},"constructor":"c"}`);
    expect(Object.entries(metadata)).toEqual(
      expect.arrayContaining([
        ["__proto__", { admin: true }],
        ["constructor", "c"],
      ]),
    );
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });

  it("201: keeps the numbers of metadata to the last digit", async () => {
    const numbers = [0.1, -1.5, 5e-324, 1.7976931348623157, 9007199254740991, -9007199254740991, 1e-7];
    expect((await roundTrip({ metadata: { numbers } })).metadata).toEqual({ numbers });
  });

  it.each([
    ["emoji with joiners", "👩‍👩‍👧‍👦 🏳️‍🌈 🇩🇪 👍🏽"],
    ["decomposed and composed letters side by side", "e\u0301 \u00e9 a\u0323\u0307 \u1ea1\u0307"],
    ["right-to-left text with marks", "\u202bשלום עולם\u202c مرحبا بالعالم ١٢٣"],
    ["scripts without spaces", "東京都に住んでいます。กรุงเทพ"],
    ["blanks around and line ends within", "\n\t two  blanks \r\n end \u00a0 \n"],
    ["invisible characters", "zero\ufeff\u200bwidth\u2060joined\u00ad"],
    ["quotes, backslashes and markup", `"'\`\\ \\u0041 $1 {"a":1} </script> %00 -- ;drop table memories`],
    ["controls other than NUL", "\u0001\u001b[31m\u007f\u0085"],
  ])("201: keeps content verbatim: %s", async (_, content) => {
    expect((await roundTrip({ content })).content).toBe(content);
  });

  it.each([
    ["content of 65,536 bytes", { content: "é".repeat(32_768) }],
    ["content of one byte", { content: "x" }],
    ["32 tags of 128 bytes", { tags: Array.from({ length: 32 }, (_, n) => String(n).padEnd(126, "-") + "ü") }],
    ["metadata of 32 KiB", { metadata: { k: "v".repeat(32 * 1024 - 8) } }],
    ["metadata of 32 levels", { metadata: nested(32) }],
    ["importance and trust at their ends", { importance: 0, trust: 1 }],
    ["importance and trust at their other ends", { importance: 1, trust: 0 }],
    ["names of 256 bytes", { source_site: "s".repeat(256), session_id: "s".repeat(256), external_id: "é".repeat(128) }],
    ["a namespace of many segments", { namespace: "a/b c/d%_/é/…" }],
    ["the first and the last time", { event_at: "0001-01-01T00:00:00.000Z", expires_at: "9999-12-31T23:59:59.999Z" }],
  ])("201: takes %s", async (_, fields) => {
    expect(await roundTrip(fields)).toMatchObject(fields);
  });

  it("201: gives times in UTC, to the millisecond", async () => {
    const stored = await roundTrip({
      event_at: "2026-03-29T01:30:00.987654321-11:30",
      expires_at: "2028-02-29T00:00:00Z",
    });
    expect(stored.event_at).toBe("2026-03-29T13:00:00.987Z");
    expect(stored.expires_at).toBe("2028-02-29T00:00:00.000Z");
  });

  it("201: stores a tag that is given twice once, and keeps the order", async () => {
    expect((await roundTrip({ tags: ["b", "a", "b", "B"] })).tags).toEqual(["b", "a", "B"]);
  });

  it("201: two memories may have the same content", async () => {
    const user_id = uniqueName("user");
    const [first, second] = [await api.store({ user_id, content: "x" }), await api.store({ user_id, content: "x" })];
    expect(first.id).not.toBe(second.id);
  });
});

/** An object of so many levels, with a value in the innermost one. */
function nested(levels: number): object {
  let inner: object = { leaf: 1 };
  for (let level = 1; level < levels; level += 1) inner = { in: inner };
  return inner;
}
