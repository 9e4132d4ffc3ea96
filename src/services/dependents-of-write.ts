import { derivationTooWide } from "../core/errors.js";
import { DEPENDENTS_MAX } from "../core/limits.js";
import type { Review } from "../core/memory.js";
import { refreshEligibility } from "../db/queries/candidates.js";
import { refreshFromSources, walkDependents, type Derivation } from "../db/queries/dependents.js";
import type { ScopeWrite } from "./write-in-scope.js";

/** What of a memory its dependents hang on, beside that it is there. */
export interface SourceFacts {
  readonly contentRevision: number;
  readonly expiresAt: Date | null;
  readonly review: Review;
}

/** Whether what is derived from a memory has to be looked at again. */
export function bearsOnDependents(before: SourceFacts, after: SourceFacts): boolean {
  return (
    before.contentRevision !== after.contentRevision ||
    before.expiresAt?.getTime() !== after.expiresAt?.getTime() ||
    (before.review === "rejected") !== (after.review === "rejected")
  );
}

/** Keeps what is derived from the memories that one write changes up to date with them, in its transaction. */
export class DependentsOfWrite {
  private readonly depthOf = new Map<string, number>();
  private readonly changed = new Set<string>();

  constructor(private readonly write: ScopeWrite) {}

  /**
   * Notes live memories that are about to be changed or deleted and all that hangs on them; to be called before that is
   * written, while the pins still tell what does. Throws `derivation_too_wide`.
   */
  async gather(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const { tx, scopeId } = this.write;
    const reached = await walkDependents(tx, scopeId, { ids, limit: ids.length + DEPENDENTS_MAX + 1 });
    for (const { id, depth } of reached) this.depthOf.set(id, depth);
    for (const id of ids) this.changed.add(id);
    if (this.dependents().length > DEPENDENTS_MAX) throw derivationTooWide();
  }

  /** Notes new memories that have sources. */
  add(derived: readonly Derivation[]): void {
    for (const { id, depth } of derived) {
      this.depthOf.set(id, depth);
      this.changed.add(id);
    }
  }

  /**
   * To be called once all is written: sources first, then what is derived from them, in both directions. The candidates
   * of the dependents follow; those of the changed memories are their writer's to project.
   */
  async refresh(): Promise<void> {
    const { tx, scopeId } = this.write;
    const levels = new Map<number, string[]>();
    for (const [id, depth] of this.depthOf) levels.set(depth, [...(levels.get(depth) ?? []), id]);
    for (const [, ids] of [...levels].sort(([a], [b]) => a - b)) await refreshFromSources(tx, scopeId, ids);
    await refreshEligibility(tx, scopeId, this.dependents());
  }

  private dependents(): string[] {
    return [...this.depthOf.keys()].filter((id) => !this.changed.has(id));
  }
}
