import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { Response } from "supertest";
import { bodyOf, problemOf, startApi, wrongFields, type Api } from "../support/api.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";
import { uniqueName } from "../support/unique-name.js";

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

async function post(json: string): Promise<Response> {
  return await api.request.post("/v1/memories").set("Content-Type", "application/json").send(json);
}

/** Posts a good memory with one raw JSON field more, which overrides a field of the same name. */
async function postField(field: string): Promise<Response> {
  return await post(`{"user_id":"${uniqueName("user")}","content":"A memory.",${field}}`);
}

const long = (bytes: number): string => JSON.stringify("x".repeat(bytes));
const TEXTS = ["content", "namespace", "source_site", "session_id", "episode_type", "external_id"];
const NAMES = ["user_id", "agent_id", "project", "mission"];
const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;

describe("POST /v1/memories", () => {
  describe("400: names the field that is wrong", () => {
    it.each(
      [
        ...[...TEXTS, ...NAMES].flatMap((field) => [
          [field, `"${field}":"   "`],
          [field, `"${field}":""`],
          [field, `"${field}":"\\ufeffx"`],
          [field, `"${field}":"a\\u0000b"`],
          [field, `"${field}":"a\\ud800b"`],
          [field, `"${field}":"\\udc00"`],
          [field, `"${field}":7`],
        ]),
        ["content", `"content":null`],
        ["content", `"content":"\\u3000\\n\\t\\u2003"`],
        ["content", `"content":${long(65_537)}`],
        ["content", `"content":"${"é".repeat(32_768)}x"`],
        ...["source_site", "session_id", "external_id", ...NAMES].map((field) => [field, `"${field}":${long(257)}`]),
        ["episode_type", `"episode_type":${long(65)}`],
        ...["a//b", "/a", "a/", "/", "a/ /b"].map((namespace) => ["namespace", `"namespace":"${namespace}"`]),
        ["namespace", `"namespace":${long(257)}`],
        ["source_url", `"source_url":"https://example.com/\\ud800"`],
        ["source_url", `"source_url":"https://example.com/\\u0000"`],
        ["source_url", `"source_url":"no address"`],
        ["source_url", `"source_url":"https://example.com/${"x".repeat(2_048)}"`],
        ...["importance", "trust"].flatMap((field) => [
          [field, `"${field}":1.01`],
          [field, `"${field}":-0.01`],
          [field, `"${field}":1e999`],
          [field, `"${field}":-1e999`],
          [field, `"${field}":"0.5"`],
        ]),
        ["tags", `"tags":[${Array.from({ length: 33 }, (_, n) => `"t${String(n)}"`).join(",")}]`],
        ["tags", `"tags":"one"`],
        ["tags[0]", `"tags":[${long(129)}]`],
        ["tags[1]", `"tags":["a"," "]`],
        ["tags[1]", `"tags":["a","b\\udfff"]`],
        ["tags[2]", `"tags":["a","b","c\\u0000"]`],
        ["tags[0]", `"tags":[null]`],
        ...["event_at", "expires_at"].flatMap((field) =>
          ["2026-01-01T00:00:00", "2026-02-30T00:00:00Z", "2025-02-29T00:00:00Z", "0000-01-01T00:00:00Z"]
            .concat(["2026-01-01", "2026-13-01T00:00:00Z", "2026-01-01T25:00:00Z", "2026-01-01 00:00:00Z", "yesterday"])
            .concat(["0001-01-01T00:00:00+01:00", "9999-12-31T23:59:59-01:00", "+010000-01-01T00:00:00Z", "infinity"])
            .map((time) => [field, `"${field}":"${time}"`]),
        ),
        ["event_at", `"event_at":1767225600000`],
        ["visibility", `"visibility":"agent_only"`],
        ["visibility", `"visibility":"workspace"`],
        ["visibility", `"visibility":"public"`],
        ["colour", `"colour":"red"`],
        ["embedding", `"embedding":[0.1,0.2]`],
        ["id", `"id":"0190a0a0-0000-7000-8000-000000000000"`],
        ["__proto__", `"__proto__":{"content":"x"}`],
      ].map(([field = "", json = ""]) => [field, json.slice(0, 60), json] as const),
    )("%s: %s", async (field, _, json) => {
      expect(new Set(wrongFields(await postField(json)))).toEqual(new Set([field]));
    });
  });

  describe("400: names the place in the metadata that is wrong", () => {
    it.each(
      [
        ["metadata", `[]`],
        ["metadata", `"text"`],
        ["metadata", `{"k":"${"v".repeat(32 * 1024 - 7)}"}`],
        ["metadata.k", `{"k":1e999}`],
        ["metadata.k", `{"k":9007199254740992}`],
        ["metadata.k", `{"k":-9007199254740993}`],
        ["metadata.a.b[1]", `{"a":{"b":[1,12345678901234567890]}}`],
        ["metadata.a[0].b", `{"a":[{"b":"x\\u0000"}]}`],
        ["metadata.a[1]", `{"a":["ok","\\ud83d"]}`],
        ["metadata", `{"lone \\ud800 key":1}`],
        ["metadata.a", `{"a":{"nul \\u0000 key":1}}`],
        ["metadata.__proto__", `{"__proto__":"\\udead"}`],
        [`metadata${".a".repeat(32)}`, nested(33)],
        [`metadata${".a".repeat(32)}`, nested(50_000)],
      ].map(([field = "", json = ""]) => [json.slice(0, 60), field, json] as const),
    )("%s", async (_, field, json) => {
      expect(wrongFields(await postField(`"metadata":${json}`))).toEqual([field]);
    });
  });

  describe("400: asks for exactly one scope", () => {
    it.each([
      ["both user and workspace", `"user_id":"u","workspace_id":"w","agent_id":"a"`, "user_id"],
      ["neither", `"agent_id":"a"`, "user_id"],
      ["a workspace without the calling agent", `"workspace_id":"w"`, "agent_id"],
      ["null as a user", `"user_id":null`, "user_id"],
    ])("%s", async (_, scope, field) => {
      expect(wrongFields(await post(`{"content":"x",${scope}}`))).toContain(field);
    });
  });

  it("400: names every field that is wrong", async () => {
    const reply = await post(`{"user_id":"u","content":" ","importance":2,"tags":["",7],"colour":1}`);
    const fields = ["content", "importance", "tags[0]", "tags[1]", "colour"];
    expect(wrongFields(reply).sort()).toEqual(expect.arrayContaining(fields.sort()));
  });

  it("400: does not take query parameters", async () => {
    const reply = await api.request.post("/v1/memories?user_id=u").send({ user_id: "u", content: "x" });
    expect(wrongFields(reply)).toEqual(["user_id"]);
  });

  it("413: refuses a body beyond 1 MiB", async () => {
    const reply = await api.request.post("/v1/memories").send({ user_id: "u", content: "x".repeat(1_048_576) });
    problemOf(reply, "payload_too_large");
  });

  it("400: stores nothing of what it refuses", async () => {
    const user_id = uniqueName("user");
    problemOf(await api.request.post("/v1/memories").send({ user_id, content: "x", trust: 2 }), "invalid_request");
    const list = await api.request.get("/v1/memories").query({ user_id });
    expect(bodyOf(list, 200)).toEqual({ memories: [], next_cursor: null });
  });
});
