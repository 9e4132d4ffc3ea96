import { eventDigest } from "../core/journal.js";
import type { ScopedDatabase } from "../db/database.js";
import { readEvents } from "../db/queries/change-events.js";
import { readJournalHead } from "../db/queries/scope-heads.js";
import { scopesAfter } from "../db/queries/scopes.js";
import { findOrphanPostings, readIndexedMemories } from "../db/queries/verify-postings.js";
import { findDisagreements, type Disagreement } from "../db/queries/verify-scope.js";
import type { ServiceDeps } from "./deps.js";
import { postingsOf } from "./index-content.js";

export interface ScopeDisagreement extends Disagreement {
  readonly scopeId: number;
}

/** Events, and memories with their contents, that are in memory at a time. */
const EVENTS = 1_000;
const MEMORIES = 100;

/**
 * Recomputes digests, chains, projections and counters of every scope and yields each disagreement.
 * Meant for a database that nobody writes to: a write between two looks is seen as one.
 */
export async function* verify(deps: Pick<ServiceDeps, "db">): AsyncGenerator<ScopeDisagreement> {
  for (let last = 0; ;) {
    const scopes = await scopesAfter(deps.db, last);
    for (const scopeId of scopes) {
      const scope = deps.db.inScope(scopeId);
      const found = [
        ...(await verifyChain(scope, scopeId)),
        ...(await findDisagreements(scope, scopeId)),
        ...(await verifyPostings(scope, scopeId)),
      ];
      for (const each of found) yield { scopeId, ...each };
    }
    const end = scopes.at(-1);
    if (end === undefined) return;
    last = end;
  }
}

async function verifyChain(scope: ScopedDatabase, scopeId: number): Promise<Disagreement[]> {
  const head = await readJournalHead(scope, scopeId);
  let digest = "";
  let seq = 0;
  while (seq < head.seq) {
    const events = await readEvents(scope, scopeId, { from: seq + 1, to: seq + EVENTS });
    for (const event of events) {
      const expected = eventDigest({ journalId: head.journalId, before: digest }, event);
      if (event.seq !== seq + 1) return [chainFault(`event ${String(seq + 1)} is missing`)];
      if (event.digest !== expected)
        return [chainFault(`event ${String(event.seq)} has another digest than its content`)];
      ({ seq, digest } = event);
    }
    if (events.length === 0) return [chainFault(`event ${String(seq + 1)} is missing`)];
  }
  return digest === head.digest ? [] : [chainFault("the head has another digest than the last event")];
}

function chainFault(detail: string): Disagreement {
  return { check: "chain", memoryId: null, detail };
}

async function verifyPostings(scope: ScopedDatabase, scopeId: number): Promise<Disagreement[]> {
  const orphans = await findOrphanPostings(scope, scopeId);
  const faults: Disagreement[] = orphans.map((memoryNo) => {
    return {
      check: "posting",
      memoryId: null,
      detail: `memory number ${String(memoryNo)} has postings and is not live`,
    };
  });
  for (let after = 0; ;) {
    const page = await readIndexedMemories(scope, scopeId, { after, limit: MEMORIES });
    for (const memory of page) {
      if (expectedPostings(memory).join() === memory.postings.join()) continue;
      faults.push({ check: "posting", memoryId: memory.id, detail: "the postings differ from the content" });
    }
    const end = page.at(-1);
    if (end === undefined) return faults;
    after = end.memoryNo;
  }
}

/** In the order of the database: terms ascending as signed integers. */
function expectedPostings(memory: { readonly memoryNo: number; readonly content: string }): string[] {
  const postings = postingsOf(memory).flatMap(({ terms, frequencies, length }) => {
    return terms.map((term, index) => ({ term, frequency: frequencies[index] ?? 0, length }));
  });
  postings.sort((a, b) => (a.term < b.term ? -1 : 1));
  return postings.map(({ term, frequency, length }) => [term, frequency, length].map(String).join(":"));
}
