import { invalidCursor } from "../core/errors.js";
import { EVENT_KINDS, type JournalHead } from "../core/journal.js";
import { defineRoute } from "./define-route.js";
import { countQuery } from "./schemas/count-query.js";
import { checkScope, scopeFields, toScopeRequest } from "./schemas/scope.js";
import { TimeReply } from "./schemas/time.js";
import { z } from "./zod.js";

const LIMIT_MAX = 256;
const WAIT_MAX_S = 30;

const ChangesQuery = z
  .strictObject({
    ...scopeFields,
    after: z
      .string()
      .max(512)
      .optional()
      .openapi({ description: "`next_cursor` of the reply before; absent: from the beginning." }),
    limit: countQuery(1, LIMIT_MAX, 100),
    wait: countQuery(0, WAIT_MAX_S, 0).openapi({ description: "Seconds to wait for a first event." }),
  })
  .superRefine(checkScope);

const ChangesReply = z
  .strictObject({
    events: z.array(
      z.strictObject({
        seq: z.string().openapi({ description: "From 1, without gaps, in commit order." }),
        kind: z.enum(EVENT_KINDS),
        memory_id: z.uuid(),
        revision: z.int(),
        at: TimeReply,
        digest: z.string().openapi({ description: "SHA-256 over the digest before and this event, in hex." }),
      }),
    ),
    next_cursor: z.string().nullable(),
    high_watermark: z.string().openapi({ description: "Sequence of the last event there is." }),
    complete: z.boolean().openapi({ description: "The events reach the high watermark." }),
  })
  .openapi("Changes");

/** `drain` ends waiting readers. */
export function changesRoute(drain: AbortSignal) {
  return defineRoute({
    method: "get",
    path: "/v1/changes",
    summary: "Follow the changes of a scope",
    description:
      "Which memory changed, how and when; never what it says. In a workspace it names every agent's memories and needs a key that is tied to no agent. " +
      "An expiry is no event.",
    tag: "memories",
    capability: "memory_read",
    scope: "query",
    query: ChangesQuery,
    replies: { 200: "The next events; none when there is nothing new." },
    reply: ChangesReply,
    errors: ["invalid_request", "invalid_cursor", "forbidden", "journal_history_conflict", "database_unavailable"],
    async handle({ query, caller, services, signal }) {
      const { events, next, highWatermark } = await services.readChanges(caller, {
        ...toScopeRequest(query),
        after: query.after === undefined ? undefined : readPosition(query.after),
        limit: query.limit,
        waitMs: query.wait * 1_000,
        signal: AbortSignal.any([signal, drain]),
      });
      return {
        body: {
          events: events.map(({ seq, kind, memoryId, revision, at, digest }) => {
            return { seq: String(seq), kind, memory_id: memoryId, revision, at: at.toISOString(), digest };
          }),
          next_cursor: next === undefined ? null : writePosition(next),
          high_watermark: String(highWatermark),
          complete: (next?.seq ?? 0) === highWatermark,
        },
      };
    },
  });
}

function writePosition(position: JournalHead): string {
  return Buffer.from(JSON.stringify([1, position.journalId, position.seq, position.digest])).toString("base64url");
}

const Position = z.tuple([z.literal(1), z.uuid(), z.int().min(0), z.string().max(64)]);

function readPosition(cursor: string): JournalHead {
  try {
    const [, journalId, seq, digest] = Position.parse(JSON.parse(Buffer.from(cursor, "base64url").toString("utf8")));
    return { journalId, seq, digest };
  } catch {
    throw invalidCursor("after", "the cursor is not one of this feed");
  }
}
