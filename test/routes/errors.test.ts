import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { gzipSync } from "node:zlib";
import { problemOf, startApi, wrongFields, type Api } from "../support/api.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";
import { uniqueName } from "../support/unique-name.js";
import { WordEmbedder } from "../support/word-embedder.js";

let database: TestDatabase;
let api: Api;
const embedder = new WordEmbedder();

beforeAll(async () => {
  database = await openTestDatabase();
  api = await startApi({ db: database.db, embedder });
});

afterAll(async () => {
  await api.close();
  await database.close();
});

const POSTS = ["", "/batch", "/get", "/delete", "/search", "/search/fast"].map((path) => `/v1/memories${path}`);

/** Posts bytes as they are. */
function postBytes(path: string, bytes: Buffer | string, type = "application/json") {
  return api.request
    .post(path)
    .set("Content-Type", type)
    .serialize((body: unknown) => body as string)
    .send(bytes);
}

describe.each(POSTS)("POST %s", (path) => {
  it.each([`{"user_id":`, `{'user_id':'u'}`, `{"a":1}}`, `undefined`, `{"a":1,}`, ` `, `NaN`])(
    "400: says that the body is not JSON: %s",
    async (body) => {
      problemOf(await postBytes(path, body), "invalid_json");
    },
  );

  it.each([
    ["gzip", Buffer.from("notgzip")],
    ["gzip", gzipSync('{"user_id":"u","content":"x"}').subarray(0, 25)],
    ["br", Buffer.from("notbrotli")],
  ])("400: a body that is not in its stated encoding: %s", async (encoding, body) => {
    const response = await fetch(`${api.url}/v1/memories`, {
      method: "POST",
      headers: { "content-type": "application/json", "content-encoding": encoding },
      body,
    });
    expect({ status: response.status, body: await response.json() }).toMatchObject({
      status: 400,
      body: { code: "invalid_json" },
    });
  });

  it("400: says that the body is not UTF-8", async () => {
    const bytes = Buffer.concat([Buffer.from(`{"user_id":"u`), Buffer.from([0xff, 0xc3]), Buffer.from(`"}`)]);
    problemOf(await postBytes(path, bytes), "invalid_json");
  });

  it.each([`[]`, `"text"`, `7`, `null`, `true`, `[{"user_id":"u"}]`])("400: wants an object, not %s", async (body) => {
    const problem = problemOf(await postBytes(path, body), "invalid_request");
    expect(problem.errors).toHaveLength(1);
  });

  it("400: wants a body", async () => {
    expect(wrongFields(await api.request.post(path))).toEqual(["body"]);
    expect(wrongFields(await api.request.post(path).set("Content-Type", "application/json"))).toEqual(["body"]);
  });

  it("415: wants JSON", async () => {
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/xml"]) {
      problemOf(await postBytes(path, `{"user_id":"u"}`, type), "unsupported_media_type");
    }
  });

  it("415: wants UTF-8, and an encoding that it knows", async () => {
    problemOf(await postBytes(path, `{"user_id":"u"}`, "application/json; charset=latin1"), "unsupported_media_type");
    const request = postBytes(path, `{"user_id":"u"}`).set("Content-Encoding", "compress");
    problemOf(await request, "unsupported_media_type");
  });
});

describe("a request", () => {
  it("413: is refused when its body is too large, packed or not", async () => {
    const body = JSON.stringify({ user_id: "u", ids: ["x".repeat(2_000_000)] });
    problemOf(await postBytes("/v1/memories/get", body), "payload_too_large");
    const packed = postBytes("/v1/memories/get", gzipSync(body)).set("Content-Encoding", "gzip");
    problemOf(await packed, "payload_too_large");
  });

  it("200: may have any JSON type and a packed body", async () => {
    const body = JSON.stringify({ user_id: uniqueName("user"), query: "x" });
    for (const type of ["application/json; charset=UTF-8", "application/merge-patch+json"]) {
      expect((await postBytes("/v1/memories/search", body, type)).status).toBe(200);
    }
    const packed = postBytes("/v1/memories/search", gzipSync(body)).set("Content-Encoding", "gzip");
    expect((await packed).status).toBe(200);
  });

  it("404: is told that there is no such route", async () => {
    for (const path of ["/", "/v1", "/v1/memory", "/v2/memories", "/v1/memories/x/y", "/health", "/V1x/memories"]) {
      problemOf(await api.request.get(path), "route_not_found");
      problemOf(await api.request.post(path).send({}), "route_not_found");
    }
  });

  it.each([
    ["GET", "/v1/memories/search", "POST, OPTIONS"],
    ["GET", "/v1/memories/search/fast", "POST, OPTIONS"],
    ["DELETE", "/v1/memories/batch", "POST, OPTIONS"],
    ["PATCH", "/v1/memories/get", "POST, OPTIONS"],
    ["GET", "/v1/memories/delete", "POST, OPTIONS"],
    ["DELETE", "/v1/memories", "POST, GET, HEAD, OPTIONS"],
    ["POST", "/v1/memories/0190a0a0-0000-7000-8000-000000000000", "GET, PATCH, DELETE, HEAD, OPTIONS"],
    ["PUT", "/v1/memories/0190a0a0-0000-7000-8000-000000000000/history", "GET, HEAD, OPTIONS"],
    ["POST", "/health/live", "GET, HEAD, OPTIONS"],
    ["POST", "/docs", "GET, HEAD, OPTIONS"],
    ["DELETE", "/openapi.json", "GET, HEAD, OPTIONS"],
  ])("405: %s %s is told the methods that are there", async (method, path, allow) => {
    const reply = await fetch(`${api.url}${path}`, { method });
    expect([reply.status, reply.headers.get("allow")]).toEqual([405, allow]);
    expect(await reply.json()).toMatchObject({ code: "method_not_allowed", status: 405 });
  });

  it("204: OPTIONS says the methods that are there", async () => {
    const reply = await api.request.options("/v1/memories");
    expect([reply.status, reply.headers.allow, reply.text]).toEqual([204, "POST, GET, HEAD, OPTIONS", ""]);
    problemOf(await api.request.options("/v1/nothing"), "route_not_found");
  });

  it("200: HEAD is GET without a body", async () => {
    const reply = await api.request.head("/health/live");
    expect([reply.status, reply.text]).toEqual([200, undefined]);
    expect((await api.request.head("/v1/nothing")).status).toBe(404);
  });

  it("400: is told that its path is broken", async () => {
    problemOf(await api.request.get("/v1/memories/%E0%A4%A"), "invalid_request");
  });

  it("has its own X-Request-ID in the reply and in the problem", async () => {
    const good = await api.request.get("/health/live").set("X-Request-ID", "job-7/step:1");
    expect(good.headers["x-request-id"]).toBe("job-7/step:1");
    const bad = await api.request.get("/nothing").set("X-Request-ID", "job-8");
    expect(problemOf(bad, "route_not_found").request_id).toBe("job-8");
  });

  it("gets an id when its own is missing, too long or not printable", async () => {
    const ids = new Set<string>();
    for (const given of [undefined, "", "x".repeat(129), "two words", "tab\tbed", "naïve"]) {
      const request = api.request.get("/nothing");
      const reply = await (given === undefined ? request : request.set("X-Request-ID", given));
      const { request_id } = problemOf(reply, "route_not_found");
      expect(request_id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
      ids.add(request_id);
    }
    expect(ids.size).toBe(6);
  });

  it("is answered without a word about the software, and not to be cached", async () => {
    const { headers } = await api.request.get("/v1/memories").query({ user_id: uniqueName("user") });
    expect(headers).toMatchObject({ "cache-control": "no-store", "x-content-type-options": "nosniff" });
    expect(headers).not.toHaveProperty("x-powered-by");
    expect(headers).not.toHaveProperty("etag");
  });

  it("500: says nothing of an unexpected error but the request id, under which the log has it", async () => {
    const before = api.logged.length;
    embedder.fault = new Error("secret detail: password=hunter2");
    try {
      const body = { user_id: uniqueName("user"), query: "harp" };
      const reply = await api.request.post("/v1/memories/search").send(body);
      const problem = problemOf(reply, "internal_error");
      expect(reply.text).not.toMatch(/hunter2|secret|stack|\.ts/);
      expect(api.logged.slice(before)).toEqual([
        {
          details: expect.objectContaining({ err: embedder.fault, request_id: problem.request_id }),
          message: "internal_error",
        },
      ]);
    } finally {
      embedder.fault = undefined;
    }
  });

  it("400: a fault of the caller is not logged as an error", async () => {
    const before = api.logged.length;
    wrongFields(await api.request.post("/v1/memories").send({}));
    problemOf(await api.request.get("/nothing"), "route_not_found");
    expect(api.logged).toHaveLength(before);
  });
});

describe("GET /openapi.json and GET /docs", () => {
  it("200: serve the description of every route, and a page for it", async () => {
    const document = (await api.request.get("/openapi.json")).body as {
      openapi: string;
      paths: Record<string, object>;
    };
    expect(document.openapi).toBe("3.1.0");
    for (const path of POSTS) expect(document.paths[path]).toHaveProperty("post");
    const page = await api.request.get("/docs");
    expect([page.status, page.type]).toEqual([200, "text/html"]);
  });
});
