import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "@jest/globals";
import type { z } from "zod";
import type { ExplainReply } from "../../src/routes/schemas/search.js";
import { bodyOf, problemOf, startApi, wrongFields, type Api } from "../support/api.js";
import { askBy } from "../support/search-calls.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";
import { uniqueName } from "../support/unique-name.js";
import { WordEmbedder } from "../support/word-embedder.js";

type ExplainBody = z.output<typeof ExplainReply>;

let database: TestDatabase;
let api: Api;
const embedder = new WordEmbedder();
const MODES = ["hybrid", "semantic", "lexical"] as const;

beforeAll(async () => {
  database = await openTestDatabase();
  api = await startApi({ db: database.db, embedder });
});

afterEach(() => {
  embedder.setDown(false);
});

afterAll(async () => {
  await api.close();
  await database.close();
});

async function explain(memory_id: string, asked: object): Promise<ExplainBody> {
  return bodyOf<ExplainBody>(await api.request.post("/v1/memories/explain").send({ ...asked, memory_id }), 200);
}

describe("404: an explanation", () => {
  it.each(MODES)("has one answer for every memory that the caller may not know of: %s", async (mode) => {
    const scope = { workspace_id: uniqueName("workspace"), agent_id: "me" };
    const other = { ...scope, agent_id: "other" };
    const [deleted, mine] = [
      await api.store({ ...scope, content: "red" }),
      await api.store({ ...scope, content: "red" }),
    ];
    bodyOf(await api.request.delete(`/v1/memories/${deleted.id}`).query(scope), 200);
    const hidden = await api.store({ ...other, content: "red", visibility: "agent_only" });
    const restricted = await api.store({ ...other, content: "red", visibility: "restricted" });
    const hiddenExpired = { content: "red", visibility: "agent_only", expires_at: "2020-01-01T00:00:00Z" };
    const expired = await api.store({ ...other, ...hiddenExpired });
    const foreign = await api.store({ user_id: uniqueName("user"), content: "red" });
    const elsewhere = await api.store({ ...scope, workspace_id: uniqueName("workspace"), content: "red" });
    const stored = [deleted, hidden, restricted, expired, foreign, elsewhere].map(({ id }) => id);
    const bodies = new Set<string>();
    for (const memory_id of [...stored, randomUUID(), "no id", "", mine.id.slice(1), `${mine.id}0`]) {
      for (const more of [{}, { tags_any: ["none"] }, { as_of: undefined, limit: 1 }]) {
        const body = { ...scope, query: "red", mode, memory_id, ...more };
        const { request_id: _, ...problem } = problemOf(
          await api.request.post("/v1/memories/explain").send(body),
          "not_found",
        );
        bodies.add(JSON.stringify(problem));
      }
    }
    expect(bodies.size).toBe(1);
    const granted = await api.request.put(`/v1/memories/${restricted.id}/grants/me`).query(other);
    bodyOf(granted, 200);
    expect((await explain(restricted.id, { ...scope, query: "red", mode })).decision).toBe("kept");
    const unwritten = { user_id: uniqueName("user"), query: "red", mode, memory_id: mine.id };
    problemOf(await api.request.post("/v1/memories/explain").send(unwritten), "not_found");
  });
});

describe("POST /v1/memories/explain", () => {
  it("400: names the field that is wrong", async () => {
    const post = async (body: object) => wrongFields(await api.request.post("/v1/memories/explain").send(body));
    const asked = { user_id: "u", query: "red", memory_id: randomUUID() };
    expect(await post({ user_id: "u", query: "red" })).toEqual(["memory_id"]);
    expect(await post({ ...asked, memory_id: null })).toEqual(["memory_id"]);
    expect(await post({ ...asked, explain: true })).toEqual(["explain"]);
    expect(await post({ ...asked, mode: "fast" })).toEqual(["mode"]);
    expect(await post({ ...asked, agent_scope: "self" })).toEqual(["agent_scope"]);
    expect(await post({ ...asked, as_of: "2026-01-01" })).toEqual(["as_of"]);
    expect(await post({ ...asked, threshold: 0.5, gate_mode: "off" })).toEqual(["threshold"]);
  });

  it("503: asks the embedding model as the search does", async () => {
    const user_id = uniqueName("user");
    const { id } = await api.store({ user_id, content: "red" });
    embedder.setDown(true);
    const body = { user_id, query: "red", memory_id: id };
    const reply = await api.request.post("/v1/memories/explain").send(body);
    const searched = await askBy(api, "hybrid", { user_id, query: "red" });
    const lexical = await api.request.post("/v1/memories/explain").send({ ...body, mode: "lexical" });
    problemOf(reply, "embedding_unavailable");
    problemOf(searched, "embedding_unavailable");
    expect(bodyOf<ExplainBody>(lexical, 200)).toMatchObject({ decision: "kept", place: 1 });
  });
});
