import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { sql } from "../../src/db/sql.js";
import { startLocalApi, type LocalApi, type Reply } from "../support/local-api.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";
import { uniqueName } from "../support/unique-name.js";
import { expectOk, idOf, scopeIdOf, writeHistory } from "../support/written-history.js";

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

type Scope = Readonly<Record<string, string>>;

interface Event {
  readonly seq: string;
  readonly kind: string;
  readonly memory_id: string;
  readonly revision: number;
  readonly at: string;
  readonly digest: string;
}

interface Page {
  readonly events: readonly Event[];
  readonly next_cursor: string | null;
  readonly high_watermark: string;
  readonly complete: boolean;
}

function user(): Scope {
  return { user_id: uniqueName("user") };
}

async function store(scope: Scope, content: string): Promise<string> {
  return idOf(await expectOk(api, { method: "POST", path: "/v1/memories", body: { ...scope, content } }));
}

async function follow(
  scope: Scope,
  options: { after?: string | null; limit?: number; wait?: number } = {},
): Promise<Reply> {
  const given = Object.entries(options).flatMap(([name, value]) => (value == null ? [] : [[name, String(value)]]));
  return await api.call({
    method: "GET",
    path: "/v1/changes",
    query: { ...scope, ...(Object.fromEntries(given) as Scope) },
  });
}

async function page(scope: Scope, options: Parameters<typeof follow>[1] = {}): Promise<Page> {
  const reply = await follow(scope, options);
  expect({ status: reply.status, text: reply.text }).toMatchObject({ status: 200 });
  return reply.body as unknown as Page;
}

function outcome({ status, body }: Reply): unknown {
  return { status, code: body.code };
}

const OTHER_HISTORY = { status: 409, code: "journal_history_conflict" };

describe("the changes of a scope", () => {
  it("say which memory changed, how and when, in order, and nothing of what it says", async () => {
    const { scope, ids } = await writeHistory(api);
    const path = `/v1/memories/${ids.named}`;
    await expectOk(api, { method: "PATCH", path, body: { ...scope, content: "tea is late", tags: ["late"] } });
    await expectOk(api, { method: "POST", path: `${path}/review`, body: { ...scope, action: "approve" } });
    while ((await api.bench.services.embedPending(new AbortController().signal)) !== null);
    const { events, complete, high_watermark } = await page(scope);
    expect({ complete, high_watermark }).toEqual({ complete: true, high_watermark: String(events.length) });
    expect(events.map(({ seq, kind, memory_id, revision }) => [seq, kind, memory_id, revision])).toEqual([
      ["1", "created", ids.named, 1],
      ["2", "created", ids.source, 1],
      ["3", "created", ids.deleted, 1],
      ["4", "deleted", ids.deleted, 2],
      ["5", "updated", ids.named, 1],
      ["6", "derived", ids.derived, 1],
      ["7", "created", ids.pending, 1],
      ["8", "updated", ids.named, 2],
      ["9", "reviewed", ids.named, 3],
      ["10", "embedding_attached", ids.pending, 1],
    ]);
    for (const event of events)
      expect(Object.keys(event).sort()).toEqual(["at", "digest", "kind", "memory_id", "revision", "seq"]);
  });

  it("come in pages that join without a gap", async () => {
    const scope = user();
    for (let n = 0; n < 7; n++) await store(scope, `number ${String(n)}`);
    const whole = await page(scope);
    const joined: Event[] = [];
    let after: string | null = null;
    for (let complete = false; !complete;) {
      const part: Page = await page(scope, { after, limit: 3 });
      joined.push(...part.events);
      ({ next_cursor: after, complete } = part);
    }
    expect(joined).toEqual(whole.events);
    expect(await page(scope, { after })).toEqual({
      events: [],
      next_cursor: after,
      high_watermark: "7",
      complete: true,
    });
  });

  it("are none where nothing was ever written", async () => {
    expect(await page(user())).toEqual({ events: [], next_cursor: null, high_watermark: "0", complete: true });
  });

  it("reach a reader in commit order, without a gap or a late lower number, while 8 write", async () => {
    const scope = user();
    const answered = new Set<string>();
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let n = 0; n < 12; n++) {
        const id = await store(scope, `writer ${String(writer)} number ${String(n)}`);
        answered.add(id);
        if (n % 3 === 0) await expectOk(api, { method: "DELETE", path: `/v1/memories/${id}`, query: scope });
      }
    });
    const total = 8 * (12 + 4);
    let seen: Event[] = [];
    let after: string | null = null;
    while (seen.length < total) {
      const known = [...answered];
      const part: Page = await page(scope, { after, limit: 5, wait: 5 });
      seen = [...seen, ...part.events];
      expect(part.events.map(({ seq }) => Number(seq))).toEqual(
        part.events.map((_, index) => seen.length - part.events.length + index + 1),
      );
      // Whatever was answered before the page was asked for is in the journal by its high watermark.
      if (part.complete) expect(known.every((id) => seen.some((event) => event.memory_id === id))).toBe(true);
      after = part.next_cursor;
    }
    await Promise.all(writers);
    expect(seen.map(({ seq }) => seq)).toEqual(Array.from({ length: total }, (_, index) => String(index + 1)));
    const times = seen.map(({ at }) => Date.parse(at));
    expect(times.every((time, index) => index === 0 || time >= (times[index - 1] ?? 0))).toBe(true);
  });
});

describe("a cursor", () => {
  it("409: of another scope is of another history", async () => {
    const [one, other] = [user(), user()];
    for (const scope of [one, other]) await store(scope, "same");
    const { next_cursor } = await page(one);
    expect(outcome(await follow(other, { after: next_cursor }))).toEqual(OTHER_HISTORY);
    expect(outcome(await follow(user(), { after: next_cursor }))).toEqual(OTHER_HISTORY);
  });

  it("409: is of another history once the scope was restored from an older state, before and after it is written to", async () => {
    const scope = user();
    const kept = await store(scope, "in the dump");
    const early = await page(scope);
    await store(scope, "lost by the restore");
    const late = await page(scope);
    await restore(await scopeIdOf(api, scope), 1);
    expect(outcome(await follow(scope, { after: late.next_cursor }))).toEqual(OTHER_HISTORY);
    await store(scope, "written after the restore");
    await store(scope, "and more");
    expect(outcome(await follow(scope, { after: late.next_cursor }))).toEqual(OTHER_HISTORY);
    // A reader that had not seen more than was restored goes on.
    const { events } = await page(scope, { after: early.next_cursor });
    expect(events.map(({ seq }) => seq)).toEqual(["2", "3"]);
    expect(events.some(({ memory_id }) => memory_id === kept)).toBe(false);
  });

  /** What a dump taken after `seq` would bring back. */
  async function restore(scopeId: number, seq: number): Promise<void> {
    const later = sql`
      select memory_id from change_events where scope_id = ${scopeId} and seq > ${seq}`;
    const numbers = sql`select memory_no from memories where scope_id = ${scopeId} and id in (${later})`;
    await database.db.run(sql`delete from candidates where scope_id = ${scopeId} and memory_id in (${later})`);
    await database.db.run(sql`delete from postings where scope_id = ${scopeId} and memory_no in (${numbers})`);
    await database.db.run(sql`delete from bindings where scope_id = ${scopeId} and memory_id in (${later})`);
    await database.db.run(sql`delete from memory_revisions where scope_id = ${scopeId} and memory_id in (${later})`);
    await database.db.run(sql`delete from memories where scope_id = ${scopeId} and id in (${later})`);
    await database.db.run(sql`delete from change_events where scope_id = ${scopeId} and seq > ${seq}`);
    await database.db.run(sql`
      update scopes
      set head_seq = ${seq},
          head_digest = (select digest from change_events where scope_id = ${scopeId} and seq = ${seq}),
          live_memories = 1,
          last_memory_no = 1
      where id = ${scopeId}`);
  }

  it("409: may not be ahead of the journal", async () => {
    const scope = user();
    await store(scope, "one");
    const { next_cursor } = await page(scope);
    const [version, journal, seq, digest] = parts(next_cursor);
    const ahead = written([version, journal, Number(seq) + 1, digest]);
    expect(outcome(await follow(scope, { after: ahead }))).toEqual(OTHER_HISTORY);
  });

  it("409: may not name another event than the one at its place", async () => {
    const scope = user();
    await store(scope, "one");
    const [version, journal, seq] = parts((await page(scope)).next_cursor);
    expect(outcome(await follow(scope, { after: written([version, journal, seq, "0".repeat(64)]) }))).toEqual(
      OTHER_HISTORY,
    );
    expect(outcome(await follow(scope, { after: written([version, journal, 0, "0".repeat(64)]) }))).toEqual(
      OTHER_HISTORY,
    );
  });

  it.each([
    ["text", () => "no cursor at all"],
    ["one of another feed", () => written([1, Date.now(), "00000000-0000-7000-8000-000000000000", "abc"])],
    ["one of another version", (given: unknown[]) => written([2, ...given.slice(1)])],
    ["one with a part too many", (given: unknown[]) => written([...given, 1])],
    ["one with a negative place", ([version, journal, , digest]: unknown[]) => written([version, journal, -1, digest])],
  ])("400: may not be %s", async (_what, tampered) => {
    const scope = user();
    await store(scope, "one");
    const given = parts((await page(scope)).next_cursor);
    expect(outcome(await follow(scope, { after: tampered(given) }))).toEqual({ status: 400, code: "invalid_cursor" });
  });

  function parts(cursor: string | null): unknown[] {
    return JSON.parse(Buffer.from(cursor ?? "", "base64url").toString("utf8")) as unknown[];
  }

  function written(cursor: unknown[]): string {
    return Buffer.from(JSON.stringify(cursor)).toString("base64url");
  }
});
