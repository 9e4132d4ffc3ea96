import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { Response } from "supertest";
import { bodyOf, problemOf, startApi, wrongFields, type Api, type MemoryBody } from "../support/api.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";
import { uniqueName } from "../support/unique-name.js";

interface BatchBody {
  readonly results: readonly {
    readonly index: number;
    readonly outcome: string;
    readonly id?: string;
    readonly revision?: number;
    readonly problem?: { readonly code: string; readonly errors: readonly { readonly path: string }[] };
  }[];
  readonly counts: Readonly<Record<string, number>>;
}

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

async function post(body: object): Promise<Response> {
  return await api.request.post("/v1/memories/batch").send(body);
}

async function batch(body: object): Promise<BatchBody> {
  return bodyOf<BatchBody>(await post(body), 200);
}

async function contents(user_id: string): Promise<string[]> {
  const reply = await api.request.get("/v1/memories").query({ user_id, limit: 200 });
  return bodyOf<{ memories: MemoryBody[] }>(reply, 200).memories.map((memory) => memory.content);
}

const numbered = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ content: `memory number ${String(n)}` }));

describe("POST /v1/memories/batch", () => {
  it("200: stores each memory with its own fields and answers in their order", async () => {
    const user_id = uniqueName("user");
    const memories = [{ content: "first", tags: ["a"] }, { content: "second", importance: 1 }, { content: "third" }];
    const { results, counts } = await batch({ user_id, memories });
    expect(counts).toEqual({ created: 3, updated: 0, existing: 0, rejected: 0 });
    expect(results).toEqual(
      [0, 1, 2].map((index) => ({ index, outcome: "created", id: expect.any(String), revision: 1 })),
    );
    for (const { index, id = "" } of results) {
      expect(await api.read(id, { user_id })).toMatchObject({ ...memories[index], embedding_status: "ready" });
    }
  });

  it("200: replaces the memories whose external_id is known", async () => {
    const user_id = uniqueName("user");
    const old = await api.store({ user_id, content: "old", external_id: "known" });
    const { results, counts } = await batch({
      user_id,
      memories: [
        { content: "new", external_id: "new" },
        { content: "renewed", external_id: "known" },
      ],
    });
    expect(counts).toEqual({ created: 1, updated: 1, existing: 0, rejected: 0 });
    expect(results[1]).toEqual({ index: 1, outcome: "updated", id: old.id, revision: 2 });
    expect((await contents(user_id)).sort()).toEqual(["new", "renewed"]);
  });

  it("400: atomic, which is the default, refuses all for one that is wrong, and stores nothing", async () => {
    const user_id = uniqueName("user");
    const memories = [{ content: "good" }, { content: " " }, { content: "good", tags: ["ok", ""] }, "text", null];
    for (const atomic of [{}, { atomic: true }]) {
      const fields = wrongFields(await post({ user_id, memories, ...atomic }));
      expect(fields).toEqual(["memories[1].content", "memories[2].tags[1]", "memories[3]", "memories[4]"]);
    }
    expect(await contents(user_id)).toEqual([]);
  });

  it("200: not atomic, it stores what is good and says for the others what is wrong", async () => {
    const user_id = uniqueName("user");
    const memories = [{ content: " " }, { content: "good" }, { content: "x", colour: 1 }, { content: "good too" }];
    const { results, counts } = await batch({ user_id, memories, atomic: false });
    expect(counts).toEqual({ created: 2, updated: 0, existing: 0, rejected: 2 });
    expect(results.map((result) => result.outcome)).toEqual(["rejected", "created", "rejected", "created"]);
    expect(results[2]).toEqual({
      index: 2,
      outcome: "rejected",
      problem: {
        code: "invalid_request",
        detail: "memories[2].colour: is not a known field",
        errors: [{ path: "memories[2].colour", message: "is not a known field" }],
      },
    });
    expect((await contents(user_id)).sort()).toEqual(["good", "good too"]);
    expect((await api.read(results[3]?.id ?? "", { user_id })).content).toBe("good too");
  });

  it("200: not atomic and all wrong, it stores nothing", async () => {
    const user_id = uniqueName("user");
    const { counts } = await batch({ user_id, memories: [{}, 7, { content: "x", trust: 2 }], atomic: false });
    expect(counts).toEqual({ created: 0, updated: 0, existing: 0, rejected: 3 });
    expect(await contents(user_id)).toEqual([]);
  });

  it("takes an external_id only once in a batch", async () => {
    const user_id = uniqueName("user");
    const memories = ["a", "b", "a", "a"].map((external_id, n) => ({ content: `number ${String(n)}`, external_id }));
    const wrong = ["memories[2].external_id", "memories[3].external_id"];
    expect(wrongFields(await post({ user_id, memories }))).toEqual(wrong);
    const { results, counts } = await batch({ user_id, memories, atomic: false });
    expect(counts).toEqual({ created: 2, updated: 0, existing: 0, rejected: 2 });
    expect(results.flatMap((each) => each.problem?.errors ?? []).map((error) => error.path)).toEqual(wrong);
    expect((await contents(user_id)).sort()).toEqual(["number 0", "number 1"]);
  });

  it("400: a visibility on a user's memory names the memory", async () => {
    const memories = [{ content: "x" }, { content: "y", visibility: "workspace" }];
    expect(wrongFields(await post({ user_id: "u", memories }))).toEqual(["memories[1].visibility"]);
  });

  it("400: the scope stands beside the memories, not in them", async () => {
    const user_id = uniqueName("user");
    const memories = [
      { content: "x", user_id },
      { content: "y", workspace_id: "w" },
    ];
    expect(wrongFields(await post({ user_id, memories }))).toEqual(["memories[0].user_id", "memories[1].workspace_id"]);
    expect(wrongFields(await post({ memories: [{ content: "x" }] }))).toEqual(["user_id"]);
  });

  it("takes 500 memories and no more", async () => {
    const user_id = uniqueName("user");
    expect(wrongFields(await post({ user_id, memories: numbered(501) }))).toEqual(["memories"]);
    expect(wrongFields(await post({ user_id, memories: [] }))).toEqual(["memories"]);
    const { results, counts } = await batch({ user_id, memories: numbered(500) });
    expect(counts).toEqual({ created: 500, updated: 0, existing: 0, rejected: 0 });
    expect(results.map((result) => result.index)).toEqual(Array.from({ length: 500 }, (_, n) => n));
    expect(new Set(results.map((result) => result.id)).size).toBe(500);
  });

  it("takes bodies up to 16 MiB", async () => {
    const user_id = uniqueName("user");
    const memories = Array.from({ length: 24 }, () => ({ content: "x".repeat(65_536) }));
    expect((await batch({ user_id, memories })).counts.created).toBe(24);
    // One memory that is too long fills the body, and is refused by itself.
    const filled = (bytes: number): object => ({ user_id, memories: [{ content: "x".repeat(bytes) }], atomic: false });
    const overhead = JSON.stringify(filled(0)).length;
    expect((await batch(filled(16 * 1_048_576 - overhead))).counts.rejected).toBe(1);
    problemOf(await post(filled(16 * 1_048_576 - overhead + 1)), "payload_too_large");
  });
});
