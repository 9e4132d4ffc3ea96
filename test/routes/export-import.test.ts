import { request as httpRequest, type IncomingMessage } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { Response } from "supertest";
import type { Capability, Grants } from "../../src/core/access.js";
import { bearer, refusal, startKeyedApi, type KeyedApi, type TestTenant } from "../support/keyed-api.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";
import { uniqueName } from "../support/unique-name.js";

let database: TestDatabase;
let api: KeyedApi;
let tenant: TestTenant;

beforeAll(async () => {
  database = await openTestDatabase();
  api = await startKeyedApi(database.db);
  tenant = await api.tenant();
});

afterAll(async () => {
  await api.close();
  await database.close();
});

const ID = "0196a000-0000-7000-8000-000000000001";
const AT = "2030-01-01T00:00:00.000Z";
const HEADER = { kind: "memgate_export", version: 1, partition: "user" };
const MEMORY = {
  kind: "memory",
  id: ID,
  revision: 1,
  agent_id: null,
  created_at: AT,
  updated_at: AT,
  deleted_at: null,
  sources: [],
  grants: [],
};
const REVISION = {
  ...{ kind: "revision", id: ID, revision: 1, content_revision: 1, content: "x", namespace: null, source_site: null },
  ...{ source_url: null, session_id: null, episode_type: null, tags: [], importance: 0.5, trust: 1, metadata: {} },
  ...{ event_at: AT, expires_at: null, external_id: null, visibility: null, review: "none", recorded_at: AT },
};

interface Sender {
  readonly capabilities?: readonly Capability[];
  readonly grants?: Grants;
  readonly scope?: object;
}

async function importText(body: string, sender: Sender = {}): Promise<Response> {
  const { capabilities = ["memory_write"], grants, scope = { user_id: uniqueName("user") } } = sender;
  return await api.request
    .post("/v1/import")
    .set(bearer(await tenant.key(capabilities, grants)))
    .query(scope)
    .set("Content-Type", "application/x-ndjson")
    .send(body);
}

function textOf(...lines: object[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

describe("POST /v1/import", () => {
  it("200: takes lines with keys in any order, blank lines and no line end at the last", async () => {
    const reply = await importText(`${textOf(HEADER, MEMORY)}\n\r\n${JSON.stringify(REVISION)}`);
    expect([reply.status, reply.body]).toEqual([200, { created: 1, updated: 0, unchanged: 0 }]);
  });

  const second = { ...REVISION, revision: 2, recorded_at: "2031-01-01T00:00:00.000Z" };
  const other = "0196a000-0000-7000-8000-000000000002";
  it.each<[string, string, string[]]>([
    ["nothing but white space", " \n", ["lines[0]"]],
    ["no header", textOf(MEMORY, REVISION), ["lines[0].kind"]],
    ["another version", textOf({ ...HEADER, version: 2 }), ["lines[0].version"]],
    ["a workspace's export for a user", textOf({ ...HEADER, partition: "workspace" }), ["lines[0].partition"]],
    ["a line that is not JSON", `${textOf(HEADER)}{"kind":`, ["lines[1]"]],
    ["a line that is no object", `${textOf(HEADER)}[]`, ["lines[1]"]],
    ["an unknown kind", textOf(HEADER, { kind: "grant" }), ["lines[1].kind"]],
    ["an unknown field", textOf(HEADER, { ...MEMORY, x: 1 }), ["lines[1].x"]],
    ["a missing field", textOf(HEADER, { ...MEMORY, grants: undefined }), ["lines[1].grants"]],
    ["a bad id", textOf(HEADER, { ...MEMORY, id: ID.toUpperCase() + "A" }), ["lines[1].id"]],
    ["a blank content", textOf(HEADER, MEMORY, { ...REVISION, content: " " }), ["lines[2].content"]],
    ["a NUL", textOf(HEADER, MEMORY, { ...REVISION, session_id: "a\u0000" }), ["lines[2].session_id"]],
    ["metadata that is none", textOf(HEADER, MEMORY, { ...REVISION, metadata: [] }), ["lines[2].metadata"]],
    ["a time that is none", textOf(HEADER, MEMORY, { ...REVISION, event_at: "now" }), ["lines[2].event_at"]],
    [
      "a memory without its revisions",
      textOf(HEADER, MEMORY),
      ["lines[1].revision", "lines[1].created_at", "lines[1].updated_at"],
    ],
    [
      "one revision too many",
      textOf(HEADER, { ...MEMORY, updated_at: second.recorded_at }, REVISION, second),
      ["lines[1].revision"],
    ],
    [
      "a revision of another memory",
      textOf(HEADER, MEMORY, { ...REVISION, id: other }),
      ["lines[2].id", "lines[1].revision", "lines[1].created_at", "lines[1].updated_at"],
    ],
    ["a memory twice", textOf(HEADER, MEMORY, REVISION, MEMORY, REVISION), ["lines[3].id"]],
    [
      "a content revision out of order",
      textOf(HEADER, MEMORY, { ...REVISION, content_revision: 2 }),
      ["lines[2].content_revision"],
    ],
    [
      "a visibility outside workspaces",
      textOf(HEADER, MEMORY, { ...REVISION, visibility: "workspace" }),
      ["lines[2].visibility"],
    ],
    [
      "a grant outside workspaces",
      textOf(HEADER, { ...MEMORY, grants: [{ agent_id: "a", granted_at: AT }] }, REVISION),
      ["lines[1].grants"],
    ],
    [
      "an unknown source",
      textOf(HEADER, { ...MEMORY, sources: [{ id: other, content_revision: 1 }] }, REVISION),
      ["lines[1].sources[0].id"],
    ],
    [
      "its own source",
      textOf(HEADER, { ...MEMORY, sources: [{ id: ID, content_revision: 1 }] }, REVISION),
      ["lines[1].sources"],
    ],
    [
      "an erased memory with a revision",
      textOf(
        HEADER,
        {
          kind: "memory",
          id: ID,
          revision: 2,
          created_at: AT,
          updated_at: AT,
          deleted_at: AT,
          erased: true,
          erased_at: AT,
        },
        REVISION,
      ),
      ["lines[2].revision"],
    ],
  ])("400: %s, naming line and field, and nothing is stored", async (_what, body, fields) => {
    const scope = { user_id: uniqueName("user") };
    const refused = refusal(await importText(body, { scope }));
    expect(refused).toEqual({
      status: 400,
      code: "invalid_request",
      fields: expect.arrayContaining(fields) as unknown,
    });
    expect(refused.fields.filter((field) => !fields.includes(field))).toEqual([]);
    const stored = await api.request
      .get("/v1/memories")
      .query(scope)
      .set(bearer(await tenant.key()));
    expect((stored.body as { memories: unknown[] }).memories).toEqual([]);
  });

  it("400: derivations in a circle", async () => {
    const circle = [ID, other].flatMap((id, index) => {
      const source = { id: index === 0 ? other : ID, content_revision: 1 };
      return [
        { ...MEMORY, id, sources: [source] },
        { ...REVISION, id },
      ];
    });
    const refused = refusal(await importText(textOf(HEADER, ...circle)));
    expect(refused).toMatchObject({ status: 400, fields: ["lines[1].sources", "lines[3].sources"] });
  });

  it("400: names at most 100 faults", async () => {
    const refused = refusal(await importText(textOf(HEADER, ...Array.from({ length: 500 }, () => ({ kind: "x" })))));
    expect(refused.fields).toHaveLength(100);
  });

  it("415: JSON, and 413: more than 16 MiB", async () => {
    const key = bearer(await tenant.key());
    const post = () => api.request.post("/v1/import").set(key).query({ user_id: "u" });
    expect((await post().send({})).status).toBe(415);
    const large = await post()
      .set("Content-Type", "application/x-ndjson")
      .send("x".repeat(16 * 1_048_576 + 1));
    expect(refusal(large)).toMatchObject({ status: 413, code: "payload_too_large" });
  });

  it("403: reviewed memories need the right to review", async () => {
    const body = textOf(HEADER, MEMORY, { ...REVISION, review: "approved" });
    expect(refusal(await importText(body))).toMatchObject({ status: 403, code: "forbidden" });
    expect((await importText(body, { capabilities: ["memory_write", "memory_review"] })).status).toBe(200);
  });

  it("403: a workspace needs a key that is tied to no agent", async () => {
    const scope = { workspace_id: "w", agent_id: "a" };
    const body = textOf({ ...HEADER, partition: "workspace" });
    expect(refusal(await importText(body, { scope, grants: { agents: ["a"] } }))).toMatchObject({ status: 403 });
    expect((await importText(body, { scope })).status).toBe(200);
  });
});

describe("GET /v1/export", () => {
  async function exportAs(
    scope: object,
    grants?: Grants,
    capabilities: Capability[] = ["memory_read"],
  ): Promise<Response> {
    return await api.request
      .get("/v1/export")
      .query(scope)
      .set(bearer(await tenant.key(capabilities, grants)))
      .responseType("blob");
  }

  it("200: canonical lines with their length", async () => {
    const scope = { user_id: uniqueName("user") };
    await importText(textOf(HEADER, MEMORY, REVISION), { scope });
    const reply = await exportAs(scope);
    expect(reply.headers).toMatchObject({ "content-type": "application/x-ndjson", "cache-control": "no-store" });
    const text = (reply.body as Buffer).toString();
    expect(reply.headers["content-length"]).toBe(String(Buffer.byteLength(text)));
    expect(text.split("\n")[0]).toBe('{"kind":"memgate_export","partition":"user","version":1}');
  });

  it("403: a workspace needs a key that is tied to no agent; a user does not", async () => {
    const grants = { agents: ["a"] };
    expect(refusal(await exportAs({ workspace_id: "w", agent_id: "a" }, grants))).toMatchObject({ status: 403 });
    expect((await exportAs({ workspace_id: "w", agent_id: "a" })).status).toBe(200);
    expect((await exportAs({ user_id: "u", agent_id: "a" }, grants)).status).toBe(200);
  });

  it("a client that stands still holds up nobody, and one that goes away is no error", async () => {
    const scope = { user_id: uniqueName("user") };
    const key = bearer(await tenant.key());
    const memories = Array.from({ length: 200 }, (_, index) => ({
      content: `${String(index)} ${"x".repeat(60_000)}`,
    }));
    for (let start = 0; start < memories.length; start += 50) {
      const batch = { ...scope, memories: memories.slice(start, start + 50) };
      expect((await api.request.post("/v1/memories/batch").set(key).send(batch)).status).toBe(200);
    }
    const faults = api.logged.length;
    const stalled = await begin(`/v1/export?user_id=${scope.user_id}`, key);
    stalled.pause();
    await sleep(200);
    // On the embedded database a transaction that were still open would let nobody else in.
    expect(
      (
        await api.request
          .post("/v1/memories")
          .set(key)
          .send({ ...scope, content: "meanwhile" })
      ).status,
    ).toBe(201);
    stalled.destroy();
    await sleep(100);
    expect(api.logged.slice(faults).filter((line) => line.includes('"level":50'))).toEqual([]);
  });
});

/** Resolves with the reply once its head is there. */
async function begin(path: string, headers: Record<string, string>): Promise<IncomingMessage> {
  return await new Promise((resolve, reject) => {
    httpRequest(new URL(path, api.url), { headers }, resolve).on("error", reject).end();
  });
}
