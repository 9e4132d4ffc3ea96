import type { ImportedMemory } from "../../src/core/exported.js";
import type { Filters, View } from "../../src/core/scope.js";
import type { Database } from "../../src/db/database.js";
import { exportHeads, readExportedRevisions } from "../../src/db/queries/export-memories.js";
import { viewOf } from "../../src/services/resolve-scope.js";
import { MemoryWorld, type MemorySystem } from "./memory-world.js";
import { openBench, type ServiceBench } from "./service-bench.js";
import { uniqueName } from "./unique-name.js";
import { readView, type ViewRow } from "./view-rows.js";

export const START = Date.parse("2030-01-01T00:00:00Z");

/** The services without background work, with a clock that stands still until it is set. */
export interface PastSystem extends MemorySystem {
  readonly bench: ServiceBench;
}

export async function startPastSystem(db: Database): Promise<PastSystem> {
  const clock = { now: new Date(START) };
  const bench = await openBench(db, { clock: () => clock.now });
  const { services, caller } = bench;
  return Object.assign(clock, {
    bench,
    db,
    services,
    caller,
    close: async () => {
      await Promise.resolve();
    },
  });
}

/** A workspace of a test's own, as it is and as it was. */
export class PastWorld {
  readonly ada: MemoryWorld;

  constructor(readonly system: PastSystem) {
    const names = { project: null, mission: null, userId: null, workspaceId: uniqueName("workspace") };
    this.ada = new MemoryWorld(system, { names, agentId: "ada" });
  }

  /** The clock goes on by a second; resolves with the time before. */
  tick(): Date {
    const { now } = this.system;
    this.system.now = new Date(now.getTime() + 1_000);
    return now;
  }

  /** What a view of the scope shows; `viewer` null sees everyone's. */
  async see(how: { viewer?: string | null; at?: Date; filters?: Filters; words?: string } = {}): Promise<ViewRow[]> {
    const { viewer = "ada", at, ...query } = how;
    const scopeId = await this.ada.scopeId();
    const scope = { ...this.ada.scope, id: scopeId };
    const view: View = { ...viewOf(scope, at ?? this.system.now, { past: at !== undefined }), viewer };
    const { spaceId } = this.system.bench;
    return await readView(this.system.db.inScope(scopeId), view, { spaceId, ...query });
  }

  /** Ids that a view of the past shows. */
  async idsAt(at: Date, viewer: string | null = "ada"): Promise<string[]> {
    return (await this.see({ at, viewer })).map((row) => row.id);
  }

  async grant(id: string, grantee: string, granted = true): Promise<void> {
    const request = { ...this.ada.scope, id, grantee, granted, once: undefined };
    await this.system.services.setGrant(this.system.caller, request);
  }

  /** What is derived from it stays. */
  async erase(id: string): Promise<void> {
    await this.system.services.eraseMemories(this.system.caller, {
      ...{ scope: this.ada.scope, target: { by: "memory", id }, derived: "keep", dryRun: false },
      ...{ expectedDigest: undefined, once: undefined },
    });
  }

  /** Brings all of this workspace, with its histories, into another one. */
  async importInto(other: PastWorld): Promise<void> {
    const [scopeId, db] = [await this.ada.scopeId(), await this.ada.db()];
    const memories: ImportedMemory[] = [];
    for await (const head of exportHeads(db, scopeId)) {
      memories.push({ head, revisions: await readExportedRevisions(db, scopeId, [head.id]), line: 1 });
    }
    await this.system.services.importScope(this.system.caller, { ...other.ada.scope, memories, once: undefined });
  }

  async embed(): Promise<void> {
    while ((await this.system.services.embedPending(new AbortController().signal)) !== null);
  }
}
