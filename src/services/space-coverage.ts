import type { Runnable } from "../db/database.js";
import { pendingInScope, readReadiness, type Coverage, type ScopeCoverage } from "../db/queries/space-coverage.js";

export type { Coverage, ScopeCoverage } from "../db/queries/space-coverage.js";

/** Ids and scopes that an answer about what is missing names at most. */
const NAMED = 10;

export interface CoverageReport extends Coverage {
  /** The first scopes in which something is pending. */
  readonly missing: readonly ScopeCoverage[];
}

/** Where a scope's rows are in sight. */
type Look = (scopeId: number) => Runnable | Promise<Runnable>;

/** How far a space is filled, counted exactly where a scope is not known to be complete. */
export async function measureCoverage(db: Runnable, spaceId: number, look: Look): Promise<CoverageReport> {
  const { memories, openScopes } = await readReadiness(db, spaceId);
  const missing: ScopeCoverage[] = [];
  let pending = 0;
  for (const scopeId of openScopes) {
    const scope = await pendingInScope(await look(scopeId), scopeId, { spaceId, named: NAMED });
    pending += scope.pending;
    if (scope.pending > 0 && missing.length < NAMED) missing.push(scope);
  }
  return { memories, bound: Math.max(memories - pending, 0), pending, missing };
}
