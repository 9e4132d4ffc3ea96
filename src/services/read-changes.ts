import { setTimeout as sleep } from "node:timers/promises";
import { isTiedToAgents } from "../core/access.js";
import { forbidden, MemgateError } from "../core/errors.js";
import type { ChangeEvent, JournalHead } from "../core/journal.js";
import { readEvents } from "../db/queries/change-events.js";
import { readJournalHead } from "../db/queries/scope-heads.js";
import type { BoundDeps, Caller } from "./deps.js";
import type { ScopeRequest } from "./resolve-scope.js";

/** How often a waiting reader looks at the head; it holds no connection between two looks. */
const POLL_MS = 500;

export interface ChangesRequest extends ScopeRequest {
  /** Where the reader is; undefined at the beginning. */
  readonly after: JournalHead | undefined;
  readonly limit: number;
  /** How long to wait for a first event, in ms. */
  readonly waitMs: number;
  /** Ends the waiting: the client is gone, or the process is about to be. */
  readonly signal: AbortSignal;
}

export interface Changes {
  readonly events: readonly ChangeEvent[];
  /** Where the reader is now; undefined while nothing was ever written in the scope. */
  readonly next: JournalHead | undefined;
  /** Sequence of the last event there is. */
  readonly highWatermark: number;
}

/**
 * The next events of a scope's journal, in commit order and without gaps.
 * Throws `forbidden` for a key that is tied to agents, where the scope is a workspace; `journal_history_conflict` for a
 * reader whose position is not in this history.
 */
export async function readChanges(deps: BoundDeps, caller: Caller, request: ChangesRequest): Promise<Changes> {
  if (request.names.workspaceId !== null && isTiedToAgents(caller)) {
    throw forbidden("a workspace's changes name the memories of all its agents: this key is tied to some");
  }
  const deadline = performance.now() + request.waitMs;
  for (;;) {
    const changes = await readOnce(deps, caller, request);
    const left = deadline - performance.now();
    if (changes.events.length > 0 || left <= 0 || request.signal.aborted) return changes;
    await sleep(Math.min(POLL_MS, left), undefined, { signal: request.signal }).catch(() => undefined);
  }
}

async function readOnce(deps: BoundDeps, caller: Caller, request: ChangesRequest): Promise<Changes> {
  const { after } = request;
  const { id: scopeId } = await deps.scopes.find(caller, request);
  if (scopeId === undefined) {
    if (after !== undefined) throw otherHistory();
    return { events: [], next: undefined, highWatermark: 0 };
  }
  const scope = deps.db.inScope(scopeId);
  const head = await readJournalHead(scope, scopeId);
  const from = after ?? { journalId: head.journalId, seq: 0, digest: "" };
  if (from.journalId !== head.journalId || from.seq > head.seq) throw otherHistory();
  // The event that the reader saw last comes along: its digest tells whether this is still the same history.
  const to = Math.min(from.seq + request.limit, head.seq);
  const range = await readEvents(scope, scopeId, { from: Math.max(from.seq, 1), to });
  const seen = range.find((event) => event.seq === from.seq);
  if (from.digest !== (seen?.digest ?? "")) throw otherHistory();
  const events = range.filter((event) => event.seq > from.seq);
  const { seq, digest } = events.at(-1) ?? from;
  return { events, next: { journalId: head.journalId, seq, digest }, highWatermark: head.seq };
}

function otherHistory(): MemgateError {
  return new MemgateError(
    "journal_history_conflict",
    "this cursor is not of this scope's history: read it from the beginning",
  );
}
