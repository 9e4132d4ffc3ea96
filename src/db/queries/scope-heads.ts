import type { ChangeEvent, JournalHead } from "../../core/journal.js";
import type { Runnable } from "../database.js";
import { sql } from "../sql.js";
import { SERVED } from "./served-space.js";

/** The scope's head row, locked until the transaction ends: writers of a scope take turns here. */
export interface ScopeHead extends JournalHead {
  readonly lastMemoryNo: number;
}

/** Locks the scope for writing. */
export async function lockScopeHead(tx: Runnable, scopeId: number): Promise<ScopeHead> {
  const [head] = await tx.run<ScopeHead>(sql`
    select journal_id as "journalId",
           head_seq as "seq",
           head_digest as "digest",
           last_memory_no as "lastMemoryNo"
    from scopes
    where id = ${scopeId}::bigint
    for update
  `);
  if (head === undefined) throw new Error(`scope ${String(scopeId)} is gone`);
  return head;
}

/** Where the journal ends now, without a lock. */
export async function readJournalHead(db: Runnable, scopeId: number): Promise<JournalHead> {
  const [head] = await db.run<JournalHead>(sql`
    select journal_id as "journalId",
           head_seq as "seq",
           head_digest as "digest"
    from scopes
    where id = ${scopeId}::bigint
  `);
  if (head === undefined) throw new Error(`scope ${String(scopeId)} is gone`);
  return head;
}

export interface NextHead {
  readonly events: readonly ChangeEvent[];
  readonly lastMemoryNo: number;
  /** By how much the number of live memories changed. */
  readonly live: number;
  /** The spaces in which all content that was written has a vector; null where none was written, and all stay ready. */
  readonly embeddedIn: readonly number[] | null;
}

/** Events in one statement: 250 bytes of JSON each. */
const EVENTS = 10_000;

/** Appends the events and moves the head: the last thing a write does but for its receipt. */
export async function advanceScopeHead(tx: Runnable, scopeId: number, next: NextHead): Promise<void> {
  const last = next.events.at(-1);
  for (let start = 0; start < next.events.length; start += EVENTS) {
    await appendEvents(tx, scopeId, next.events.slice(start, start + EVENTS));
  }
  await tx.run(sql`
    update scopes
    set head_seq = coalesce(${last?.seq ?? null}::bigint, head_seq),
        head_digest = coalesce(${last?.digest ?? null}::text, head_digest),
        last_memory_no = ${next.lastMemoryNo}::bigint,
        live_memories = live_memories + ${next.live}::bigint,
        ready_space_ids = case
          when ${next.embeddedIn}::bigint[] is null then ready_space_ids
          else array(
            select id
            from unnest(ready_space_ids) as ready(id)
            where id = any(${next.embeddedIn}::bigint[])
            order by id)
        end,
        projected_space_id = case when projected_space_id = ${SERVED} then projected_space_id end
    where id = ${scopeId}::bigint
  `);
}

async function appendEvents(tx: Runnable, scopeId: number, events: readonly ChangeEvent[]): Promise<void> {
  await tx.run(sql`
    insert into change_events (scope_id, seq, kind, memory_id, revision, at, digest)
    select ${scopeId}::bigint, n."seq", n."kind", n."memoryId", n."revision", n."at", n."digest"
    from jsonb_to_recordset(${JSON.stringify(events)}::jsonb) as n(
      "seq" bigint, "kind" text, "memoryId" uuid, "revision" integer, "at" timestamptz, "digest" text)
  `);
}
