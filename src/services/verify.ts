import { eventDigest } from "../core/journal.js";
import type { Runnable } from "../db/database.js";
import { eventsAfter } from "../db/queries/change-events.js";
import { readJournalHead } from "../db/queries/scope-heads.js";
import { findTenantOf, scopesAfter } from "../db/queries/scopes.js";
import { findDisagreements, type Disagreement } from "../db/queries/verify-scope.js";
import { contentKeys } from "./content-keys.js";
import type { ServiceDeps } from "./deps.js";
import { TenantSecrets } from "./tenant-secrets.js";
import { verifyPastContents } from "./verify-past-contents.js";
import { verifyContents, type Tenant } from "./verify-contents.js";

export interface ScopeDisagreement extends Disagreement {
  readonly scopeId: number;
}

/** Events that are in memory at a time. */
const EVENTS = 1_000;

/** Disagreements of one scope that are named: they are in memory, too. */
const NAMED_MAX = 10_000;

type Deps = Pick<ServiceDeps, "db">;

/** Recomputes digests, chains, projections and counters of every scope and yields each disagreement. */
export async function* verify(deps: Deps): AsyncGenerator<ScopeDisagreement> {
  for (let last = 0; ;) {
    const scopes = await scopesAfter(deps.db, last);
    for (const scopeId of scopes) {
      for (const each of await verifyScope(deps, scopeId)) yield { scopeId, ...each };
    }
    const end = scopes.at(-1);
    if (end === undefined) return;
    last = end;
  }
}

/** The disagreements of one scope, as it is at one moment: writers may go on. At most {@link NAMED_MAX} are named. */
export async function verifyScope({ db }: Deps, scopeId: number): Promise<Disagreement[]> {
  const tenantId = await findTenantOf(db, scopeId);
  if (tenantId === undefined) return [];
  const tenant = { tenantId, secrets: new TenantSecrets(db) };
  // Has the tenant's secret remembered: the embedded database has no second turn during the snapshot.
  await contentKeys(tenant, tenant, []);
  return await db.inScope(scopeId).snapshot(async (tx) => {
    const found: Disagreement[] = [];
    for await (const each of lookThrough(tx, scopeId, tenant)) {
      if (found.length === NAMED_MAX) return [...found, fault("more", "there are others, which are not named")];
      found.push(each);
    }
    return found;
  });
}

async function* lookThrough(tx: Runnable, scopeId: number, tenant: Tenant): AsyncGenerator<Disagreement> {
  yield* verifyChain(tx, scopeId);
  yield* findDisagreements(tx, scopeId, NAMED_MAX + 1);
  yield* verifyContents(tx, scopeId, tenant);
  yield* verifyPastContents(tx, scopeId);
}

async function* verifyChain(tx: Runnable, scopeId: number): AsyncGenerator<Disagreement> {
  const head = await readJournalHead(tx, scopeId);
  let seq = 0;
  // Undefined after a gap: what the next event was chained to is not known.
  let before: string | undefined = "";
  for (;;) {
    const events = await eventsAfter(tx, scopeId, { after: seq, limit: EVENTS });
    if (events.length === 0) break;
    for (const event of events) {
      if (event.seq !== seq + 1) {
        yield missing(seq + 1, event.seq - 1);
        before = undefined;
      }
      if (before !== undefined && event.digest !== eventDigest({ journalId: head.journalId, before }, event)) {
        yield fault("chain", `event ${String(event.seq)} has another digest than what it says`);
      }
      ({ seq, digest: before } = event);
    }
  }
  if (seq < head.seq) yield missing(seq + 1, head.seq);
  else if (seq > head.seq) yield fault("chain", `the head is at ${String(head.seq)}, the last event at ${String(seq)}`);
  else if (before !== head.digest) yield fault("chain", "the head has another digest than the last event");
}

function missing(first: number, last: number): Disagreement {
  const which = first === last ? `event ${String(first)} is` : `events ${String(first)} to ${String(last)} are`;
  return fault("chain", `${which} missing`);
}

function fault(check: string, detail: string): Disagreement {
  return { check, memoryId: null, detail };
}
