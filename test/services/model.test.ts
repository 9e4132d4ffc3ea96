import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { sql } from "../../src/db/sql.js";
import { verifyScope } from "../../src/services/verify.js";
import { startLocalApi, type Call, type LocalApi, type Reply } from "../support/local-api.js";
import { MemoryModel, type Expected, type ModelMemory } from "../support/memory-model.js";
import { repeatsExternalId, tell, toCall, type Write } from "../support/model-calls.js";
import { histories, type Command } from "../support/model-commands.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";
import { uniqueName } from "../support/unique-name.js";
import { expectOk, scopeIdOf } from "../support/written-history.js";

const RUNS = 20;

let database: TestDatabase;
let api: LocalApi;

beforeAll(async () => {
  database = await openTestDatabase();
  api = await startLocalApi(database.db);
});

afterAll(async () => {
  await api.close();
  await database.close();
});

interface Scope {
  readonly fields: Readonly<Record<string, string>>;
  readonly model: MemoryModel;
}

interface Sent {
  readonly call: Call;
  readonly reply: Reply;
}

/** A random history, sent to the API and told to the model, with both compared at every step and in the end. */
class Run {
  readonly scopes: readonly [Scope, Scope] = [
    { fields: { user_id: uniqueName("user") }, model: new MemoryModel() },
    { fields: { workspace_id: uniqueName("workspace"), agent_id: "ada" }, model: new MemoryModel() },
  ];
  /** Commands with a key that were done: what a key in a scope and a route now stands for. */
  private readonly receipts = new Map<string, Sent>();

  async begin(): Promise<void> {
    for (const scope of [0, 1] as const) await this.step({ ...FIRST, scope });
  }

  async step(command: Command): Promise<void> {
    if (command.type === "embed") {
      while ((await api.bench.services.embedPending(new AbortController().signal)) !== null);
      for (const { model } of this.scopes) model.embed();
    } else if (command.type === "resend") {
      const sent = [...this.receipts.values()].at(command.target % Math.max(1, this.receipts.size));
      if (sent !== undefined) expectReplay(await api.call(sent.call), sent);
    } else {
      await this.write(command);
    }
  }

  private async write(command: Write): Promise<void> {
    const { fields, model } = this.scopes[command.scope];
    const call: Call = {
      ...toCall(command, fields, model),
      ...(command.key === undefined ? {} : { key: command.key }),
    };
    api.bench.embedder.setDown("embedderDown" in command && command.embedderDown);
    const reply = await api.call(call);
    api.bench.embedder.setDown(false);
    const name = JSON.stringify([command.scope, call.method, call.path.replace(/[0-9a-f-]{36}/, "{id}"), call.key]);
    const used = this.receipts.get(name);
    if (used !== undefined && !repeatsExternalId(command)) {
      if (JSON.stringify(used.call) === JSON.stringify(call)) expectReplay(reply, used);
      else
        expect({ status: reply.status, code: reply.body.code }).toEqual({ status: 409, code: "idempotency_conflict" });
      return;
    }
    compare(reply, tell(command, model));
    if (call.key !== undefined && reply.status < 300) this.receipts.set(name, { call, reply });
  }

  async compareAll(): Promise<void> {
    for (const { fields, model } of this.scopes) {
      const current = model.current().sort((a, b) => (a.id < b.id ? 1 : -1));
      const list = await expectOk(api, { method: "GET", path: "/v1/memories", query: fields });
      expect((list.body.memories as Record<string, unknown>[]).map(shown)).toEqual(current.map(asShown));
      const ids = model.memories.map((memory) => memory.id);
      const got = await expectOk(api, { method: "POST", path: "/v1/memories/get", body: { ...fields, ids } });
      expect((got.body.memories as unknown[]).map((memory) => memory !== null)).toEqual(
        model.memories.map((memory) => model.isCurrent(memory)),
      );
      const feed = await expectOk(api, { method: "GET", path: "/v1/changes", query: { ...fields, limit: "256" } });
      expect((feed.body.events as Record<string, unknown>[]).map(eventShown)).toEqual(
        model.events.map(({ kind, memory, revision }, index) => [String(index + 1), kind, memory.id, revision]),
      );
      const scopeId = await scopeIdOf(api, fields);
      const [row] = await database.db.run<{ live: number }>(sql`
        select live_memories as "live" from scopes where id = ${scopeId}`);
      expect(row?.live).toBe(model.memories.filter((memory) => !memory.deleted).length);
      expect(await verifyScope(database, scopeId)).toEqual([]);
    }
    for (const sent of this.receipts.values()) expectReplay(await api.call(sent.call), sent);
  }
}

const FIRST = {
  type: "create",
  key: undefined,
  items: [{ content: "gamma", tags: ["red"], externalId: null, sources: [] }],
  returnExisting: false,
  embedderDown: false,
} as const;

/** The reply is the model's, and tells it the ids of what is new. */
function compare(reply: Reply, expected: Expected): void {
  expect({ status: reply.status, text: reply.text }).toMatchObject({ status: expected.status });
  if (reply.status >= 300) return;
  const { results = [reply.body], ids } = reply.body as { results?: Record<string, unknown>[]; ids?: string[] };
  if (ids !== undefined) {
    expect([...ids].sort()).toEqual(expected.named.map(({ memory }) => memory.id).sort());
    return;
  }
  expect(results.map(({ revision }) => revision)).toEqual(expected.named.map(({ revision }) => revision));
  for (const [index, { memory, outcome }] of expected.named.entries()) {
    const { id, outcome: told } = results[index] ?? {};
    if (told !== undefined) expect(told).toBe(outcome);
    if (memory.id === "") memory.id = String(id);
    expect(id).toBe(memory.id);
  }
}

function expectReplay(reply: Reply, first: Sent): void {
  const etag = (each: Reply): string | null => each.headers.get("etag");
  expect({ text: reply.text, status: reply.status, etag: etag(reply), replayed: reply.replayed }).toEqual({
    text: first.reply.text,
    status: first.reply.status,
    etag: etag(first.reply),
    replayed: true,
  });
}

function shown({
  id,
  content,
  tags,
  external_id,
  review,
  revision,
  embedding_status,
}: Record<string, unknown>): unknown {
  return { id, content, tags, external_id, review, revision, embedding_status };
}

function asShown(memory: ModelMemory): unknown {
  const { id, content, tags, externalId, review, revision, embedded } = memory;
  return {
    id,
    content,
    tags,
    external_id: externalId,
    review,
    revision,
    embedding_status: embedded ? "ready" : "pending",
  };
}

function eventShown({ seq, kind, memory_id, revision }: Record<string, unknown>): unknown {
  return [seq, kind, memory_id, revision];
}

describe("any history of writes", () => {
  it("leaves what a model of a list of memories and a list of events leaves", async () => {
    await fc.assert(
      fc.asyncProperty(histories, async (commands) => {
        const run = new Run();
        await run.begin();
        for (const command of commands) await run.step(command);
        await run.compareAll();
      }),
      { numRuns: RUNS, endOnFailure: false, plugins: [fc.interruptAfterTimeLimit(60_000)] },
    );
  }, 120_000);
});
