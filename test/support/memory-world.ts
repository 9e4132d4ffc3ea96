import { pino } from "pino";
import { compose } from "../../src/compose.js";
import { loadConfig } from "../../src/config.js";
import type { Memory, MemoryFields, Review } from "../../src/core/memory.js";
import type { ScopeNames } from "../../src/core/scope.js";
import type { Database, ScopedDatabase } from "../../src/db/database.js";
import { findScope } from "../../src/db/queries/scopes.js";
import type { Caller, MemoryDraft, Services } from "../../src/services/index.js";
import { uniqueName } from "./unique-name.js";
import { WordEmbedder } from "./word-embedder.js";

/** The services on one database, with a clock that stands still until it is set. */
export interface MemorySystem {
  readonly db: Database;
  readonly services: Services;
  readonly caller: Caller;
  now: Date;
  close(): Promise<void>;
}

/** Composes the services with a test embedder. */
export async function startSystem(db: Database): Promise<MemorySystem> {
  const started = { now: new Date("2030-01-01T00:00:00Z") };
  const { services, localCaller, close } = await compose(loadConfig({}), pino({ level: "silent" }), {
    db,
    embedder: new WordEmbedder({ dimensions: 8 }),
    clock: () => started.now,
  });
  return Object.assign(started, { db, services, caller: localCaller, close });
}

/** What a test says of a memory; everything else has its default. */
export type DraftFields = Partial<MemoryDraft>;

/** The memories of one scope of a test's own, by one agent. */
export class MemoryWorld {
  constructor(
    readonly system: MemorySystem,
    readonly scope: { readonly names: ScopeNames; readonly agentId: string | null } = {
      names: { project: null, mission: null, userId: uniqueName("user"), workspaceId: null },
      agentId: null,
    },
  ) {}

  /** The same scope as another agent sees it. */
  as(agentId: string): MemoryWorld {
    return new MemoryWorld(this.system, { ...this.scope, agentId });
  }

  async store(content: string, fields: DraftFields = {}): Promise<Memory> {
    const { services, caller } = this.system;
    const draft = draftOf(content, this.scope.names, fields);
    const request = { ...this.scope, draft, onDuplicate: "keep" as const, once: undefined };
    return (await services.createMemory(caller, request)).memory;
  }

  /** A memory derived from `sources`. */
  async derive(content: string, sources: readonly Memory[], fields: DraftFields = {}): Promise<Memory> {
    return await this.store(content, { ...fields, sourceMemoryIds: sources.map((source) => source.id) });
  }

  async change({ id }: Memory, patch: Partial<MemoryFields>): Promise<Memory> {
    const request = { ...this.scope, id, expectedRevision: undefined, patch, once: undefined };
    return (await this.system.services.updateMemory(this.system.caller, request)).memory;
  }

  async review({ id }: Memory, review: Review): Promise<Memory> {
    const request = { ...this.scope, id, expectedRevision: undefined, review, once: undefined };
    return (await this.system.services.reviewMemory(this.system.caller, request)).memory;
  }

  async remove({ id }: Memory): Promise<void> {
    const request = { ...this.scope, id, expectedRevision: undefined, once: undefined };
    await this.system.services.deleteMemory(this.system.caller, request);
  }

  /** Contents of the current memories, in order. */
  async current(): Promise<string[]> {
    const request = { ...this.scope, filters: {}, after: undefined, limit: 200 };
    const { memories } = await this.system.services.listMemories(this.system.caller, request);
    return memories.map((memory) => memory.content).sort();
  }

  async scopeId(): Promise<number> {
    return (await findScope(this.system.db, this.system.caller.tenantId, this.scope.names))!;
  }

  async db(): Promise<ScopedDatabase> {
    return this.system.db.inScope(await this.scopeId());
  }
}

function draftOf(content: string, names: ScopeNames, fields: DraftFields): MemoryDraft {
  return {
    content,
    ...{ namespace: null, sourceSite: null, sourceUrl: null, sessionId: null, episodeType: null, externalId: null },
    ...{ tags: [], importance: 0.5, trust: 1, metadata: {}, eventAt: null, expiresAt: null, sourceMemoryIds: [] },
    visibility: names.workspaceId === null ? null : "workspace",
    ...fields,
  };
}
