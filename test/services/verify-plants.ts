import { sql, type Sql } from "../../src/db/sql.js";
import type { History } from "../support/written-history.js";

export interface Plant {
  /** What is done to the tables, by a superuser. */
  readonly change: (history: History) => Sql;
  /** All that verify then names: check, memory, detail. */
  readonly named: readonly (readonly [string, keyof History["ids"] | null, string])[];
}

/**
 * Every kind of disagreement, planted in a fresh history. Its events: created named 1, source 2, deleted 3; deleted 4; granted 5; created derived 6, pending 7.
 */
export const PLANTS: Readonly<Record<string, Plant>> = {
  "an event with another digest": {
    change: ({ scopeId }) => sql`
      update change_events set digest = repeat('0', 64) where scope_id = ${scopeId} and seq = 2`,
    named: [
      ["chain", null, "event 2 has another digest than what it says"],
      ["chain", null, "event 3 has another digest than what it says"],
    ],
  },
  "an event that says something else": {
    change: ({ scopeId }) => sql`
      update change_events set at = at + interval '1 second' where scope_id = ${scopeId} and seq = 2`,
    named: [["chain", null, "event 2 has another digest than what it says"]],
  },
  "a missing event": {
    change: ({ scopeId }) => sql`delete from change_events where scope_id = ${scopeId} and seq = 4`,
    named: [
      ["chain", null, "event 4 is missing"],
      ["event", "deleted", "the last event is of revision 1, the memory is at 2"],
    ],
  },
  "missing events at the end": {
    change: ({ scopeId }) => sql`delete from change_events where scope_id = ${scopeId} and seq >= 6`,
    named: [
      ["chain", null, "events 6 to 7 are missing"],
      ["event", "derived", "the last event is of revision none, the memory is at 1"],
      ["event", "pending", "the last event is of revision none, the memory is at 1"],
    ],
  },
  "an event beyond the head": {
    change: ({ scopeId }) => sql`
      update scopes
      set head_seq = 6,
          head_digest = (select digest from change_events where scope_id = ${scopeId} and seq = 6)
      where id = ${scopeId}`,
    named: [["chain", null, "the head is at 6, the last event at 7"]],
  },
  "a head with another digest": {
    change: ({ scopeId }) => sql`update scopes set head_digest = '' where id = ${scopeId}`,
    named: [["chain", null, "the head has another digest than the last event"]],
  },
  "an event of a memory that there is not": {
    change: ({ scopeId, ids }) => sql`
      update change_events
      set memory_id = '00000000-0000-7000-8000-000000000000'
      where scope_id = ${scopeId} and memory_id = ${ids.derived}::uuid`,
    named: [
      ["chain", null, "event 6 has another digest than what it says"],
      ["event", "derived", "the last event is of revision none, the memory is at 1"],
      ["event", null, "the last event is of revision 1, the memory is at none"],
    ],
  },
  "a wrong count of live memories": {
    change: ({ scopeId }) => sql`update scopes set live_memories = live_memories + 2 where id = ${scopeId}`,
    named: [["counter", null, "live_memories is 6, counted 4"]],
  },
  "a number that will be given twice": {
    change: ({ scopeId }) => sql`update scopes set last_memory_no = 3 where id = ${scopeId}`,
    named: [["counter", null, "last_memory_no is 3, in use 5"]],
  },
  "a candidate with another column": {
    change: ({ scopeId, ids }) => sql`
      update candidates set importance = .25 where scope_id = ${scopeId} and memory_id = ${ids.named}::uuid`,
    named: [["candidate", "named", "the candidate differs from its memory"]],
  },
  "a candidate that is missing": {
    change: ({ scopeId, ids }) => sql`
      delete from candidates where scope_id = ${scopeId} and memory_id = ${ids.pending}::uuid`,
    named: [["candidate", "pending", "a live memory has no candidate"]],
  },
  "a candidate of a memory that is deleted": {
    change: ({ scopeId, ids }) => sql`
      update candidates set memory_id = ${ids.deleted}::uuid, memory_no = 3
      where scope_id = ${scopeId} and memory_id = ${ids.pending}::uuid`,
    named: [
      ["candidate", "deleted", "a memory that is not live has a candidate"],
      ["candidate", "pending", "a live memory has no candidate"],
    ],
  },
  "a candidate with another vector": {
    change: ({ scopeId, ids }) => sql`
      update candidates
      set embedding = (select embedding from candidates where scope_id = ${scopeId} and memory_id = ${ids.source}::uuid)
      where scope_id = ${scopeId} and memory_id = ${ids.named}::uuid`,
    named: [["vector", "named", "the candidate has another vector than its binding"]],
  },
  "a candidate with a space and no vector": {
    change: ({ scopeId, ids }) => sql`
      update candidates
      set embedding = null
      where scope_id = ${scopeId} and memory_id = ${ids.named}::uuid`,
    named: [["vector", "named", "the candidate has another vector than its binding"]],
  },
  "a scope that is said to be embedded and is not": {
    change: ({ scopeId }) => sql`
      update scopes
      set ready_space_ids = array(select min(space_id) from candidates where scope_id = ${scopeId})
      where id = ${scopeId}`,
    named: [["vector", "pending", "it lacks a vector of the space that its scope is said to have them all of"]],
  },
  "a binding of a content that never was": {
    change: ({ scopeId, ids }) => sql`
      insert into bindings (scope_id, space_id, memory_id, content_revision, embedding, truncated, created_at)
      select scope_id, space_id, memory_id, 7, embedding, truncated, created_at
      from bindings
      where scope_id = ${scopeId} and memory_id = ${ids.named}::uuid`,
    named: [["binding", "named", "a binding is of content revision 7, which the memory never had"]],
  },
  "a posting that is missing": {
    change: ({ scopeId }) => sql`
      delete from postings
      where (scope_id, term, memory_no) = (
        select scope_id, term, memory_no from postings where scope_id = ${scopeId} and memory_no = 1 limit 1)`,
    named: [["posting", "named", "it lacks postings that its content has"]],
  },
  "a posting too many": {
    change: ({ scopeId }) => sql`
      insert into postings (scope_id, term, memory_no, frequency, length) values (${scopeId}, 5, 1, 1, 5)`,
    named: [["posting", "named", "it has postings that its content has not"]],
  },
  "a posting with another frequency": {
    change: ({ scopeId }) => sql`
      update postings set frequency = 9
      where (scope_id, term, memory_no) = (
        select scope_id, term, memory_no from postings where scope_id = ${scopeId} and memory_no = 1 limit 1)`,
    named: [
      ["posting", "named", "it has postings that its content has not"],
      ["posting", "named", "it lacks postings that its content has"],
    ],
  },
  "postings of a memory that is deleted": {
    change: ({ scopeId }) => sql`
      insert into postings (scope_id, term, memory_no, frequency, length) values (${scopeId}, 5, 3, 1, 1)`,
    named: [["posting", null, "memory number 3 has postings and is not live"]],
  },
  "past postings that are missing": {
    change: ({ scopeId, ids }) => sql`
      delete from past_postings where scope_id = ${scopeId} and memory_id = ${ids.deleted}::uuid`,
    named: [["past_posting", "deleted", "it lacks the past postings of content revision 1"]],
  },
  "past postings with another frequency": {
    change: ({ scopeId, ids }) => sql`
      update past_postings set frequencies[1] = 9 where scope_id = ${scopeId} and memory_id = ${ids.deleted}::uuid`,
    named: [["past_posting", "deleted", "the past postings of content revision 1 differ from the content"]],
  },
  "past postings of a content that is live": {
    change: ({ scopeId, ids }) => sql`
      insert into past_postings (scope_id, memory_id, content_revision, terms, frequencies, lengths)
      values (${scopeId}, ${ids.named}::uuid, 1, '{5}', '{1}', '{1}')`,
    named: [["past_posting", "named", "it has past postings of content revision 1, which is not over"]],
  },
  "a tag that is missing": {
    change: ({ scopeId }) => sql`delete from candidate_tags where scope_id = ${scopeId} and tag = 'time'`,
    named: [["tag", "named", "the tag rows differ from the tags"]],
  },
  "a tag too many": {
    change: ({ scopeId }) => sql`insert into candidate_tags (scope_id, tag, memory_no) values (${scopeId}, 'x', 1)`,
    named: [["tag", "named", "the tag rows differ from the tags"]],
  },
  "a revision with another content": {
    change: ({ scopeId, ids }) => sql`
      update memory_revisions set content = 'an older address' where scope_id = ${scopeId} and memory_id = ${ids.deleted}::uuid`,
    named: [
      ["past_posting", "deleted", "the past postings of content revision 1 differ from the content"],
      ["revision", "deleted", "revision 1 has another digest than its content"],
    ],
  },
  "a revision with another length": {
    change: ({ scopeId, ids }) => sql`
      with r as (
        update memory_revisions set exact_length = 9 where scope_id = ${scopeId} and memory_id = ${ids.named}::uuid)
      update candidates set exact_length = 9 where scope_id = ${scopeId} and memory_id = ${ids.named}::uuid`,
    named: [["revision", "named", "the lengths differ from the content"]],
  },
  "a revision that is missing": {
    change: ({ scopeId, ids }) => sql`
      delete from memory_revisions where scope_id = ${scopeId} and memory_id = ${ids.deleted}::uuid`,
    named: [
      ["binding", "deleted", "a binding is of content revision 1, which the memory never had"],
      ["past_posting", "deleted", "it has past postings of content revision 1, which is not over"],
      ["revision", "deleted", "the memory is at revision 2 and has 0 before a deletion"],
    ],
  },
  "a memory that differs from its revision": {
    change: ({ scopeId, ids }) => sql`
      update memories set external_id = 'other' where scope_id = ${scopeId} and id = ${ids.named}::uuid`,
    named: [["revision", "named", "the memory differs from its current revision 1, or that is missing"]],
  },
  "a key of duplicates that is another content's": {
    change: ({ scopeId, ids }) => sql`
      update memories set content_key = 'other' where scope_id = ${scopeId} and id = ${ids.named}::uuid`,
    named: [["content_key", "named", "the key for finding duplicates differs from the content"]],
  },
  "a derived memory that outlives its source": {
    change: ({ scopeId, ids }) => sql`
      with m as (
        update memories set effective_valid_until = null where scope_id = ${scopeId} and id = ${ids.derived}::uuid)
      update candidates set valid_until = null where scope_id = ${scopeId} and memory_id = ${ids.derived}::uuid`,
    named: [["eligibility", "derived", "sources_valid or effective_valid_until differ from what the sources say"]],
  },
  "a derived memory that is found although its source has changed": {
    change: ({ scopeId, ids }) => sql`
      update memory_sources set source_content_revision = 2
      where scope_id = ${scopeId} and memory_id = ${ids.derived}::uuid`,
    named: [["eligibility", "derived", "sources_valid or effective_valid_until differ from what the sources say"]],
  },
  "a receipt of a revision that never was": {
    change: ({ scopeId, ids }) => sql`
      insert into receipts (scope_id, actor, operation, key, fingerprint, result, created_at)
      values (${scopeId}, 'local', 'POST /v1/memories', 'k', 'f',
              jsonb_build_array(jsonb_build_object('id', ${ids.named}::text, 'revision', 2)), now())`,
    named: [["receipt", "named", "a receipt of POST /v1/memories names revision 2, the memory is at 1"]],
  },
};
