import { uuidv7 } from "uuidv7";
import type { MemoryFields } from "../core/memory.js";
import { readByExternalId } from "../db/queries/heads.js";
import { lockScope } from "../db/queries/scopes.js";
import type { HeadRow } from "../db/queries/write-memories.js";
import type { EmbeddedText } from "../embeddings/embedder.js";
import type { Caller, ServiceDeps } from "./deps.js";
import { embedWithin } from "./embed-within.js";
import type { ScopeRequest, ScopeResolver, WritableScope } from "./resolve-scope.js";
import { storeRevisions, type Change } from "./store-revisions.js";

/** A memory to store; `eventAt` null means the time of writing. */
export type MemoryDraft = Omit<MemoryFields, "eventAt"> & { readonly eventAt: Date | null };

export interface Created {
  /** `updated` when a live memory of the same author already had the external id: its fields were replaced. */
  readonly outcome: "created" | "updated";
  readonly id: string;
  readonly revision: number;
}

/**
 * Stores memories as they are, in order, all or none.
 * Embedding is waited for outside the transaction and for a bounded time; what is missing then is pending.
 */
export async function createMemories(
  deps: ServiceDeps & { readonly scopes: ScopeResolver },
  caller: Caller,
  request: ScopeRequest & { readonly drafts: readonly MemoryDraft[] },
): Promise<Created[]> {
  const { drafts } = request;
  if (drafts.length === 0) return [];
  const scope = await deps.scopes.ensure(caller, { names: request.names, agentId: request.agentId });
  const embedded = await embedWithin(
    deps.embedder,
    drafts.map((draft) => draft.content),
    deps.writeEmbedWaitMs,
  );
  const changes = await deps.db.transaction(async (tx) => {
    const firstNo = await lockScope(tx, scope.id, drafts.length);
    const at = deps.clock();
    const externalIds = drafts.flatMap((draft) => draft.externalId ?? []);
    const taken = await readByExternalId(tx, scope.id, { agentId: scope.agentId, externalIds });
    const plan = drafts.map((draft, index) => {
      const before = draft.externalId === null ? undefined : taken.find((head) => head.externalId === draft.externalId);
      return planChange({ draft, before, embedded: embedded[index] ?? null }, { scope, at, memoryNo: firstNo + index });
    });
    await storeRevisions(tx, deps, { scopeId: scope.id, at, changes: plan });
    return plan;
  });
  if (changes.some((change) => change.embedded === null)) deps.onPending();
  return changes.map(({ row, before }) => ({
    outcome: before === undefined ? "created" : "updated",
    id: row.id,
    revision: row.revision,
  }));
}

function planChange(
  item: { readonly draft: MemoryDraft; readonly before: HeadRow | undefined; readonly embedded: EmbeddedText | null },
  place: { readonly scope: WritableScope; readonly at: Date; readonly memoryNo: number },
): Change {
  const { draft, before, embedded } = item;
  const sameContent = before?.content === draft.content;
  const row = {
    ...draft,
    eventAt: draft.eventAt ?? place.at,
    id: before?.id ?? uuidv7(),
    memoryNo: before?.memoryNo ?? place.memoryNo,
    revision: (before?.revision ?? 0) + 1,
    contentRevision: (before?.contentRevision ?? 0) + (sameContent ? 0 : 1),
    agentId: place.scope.agentId,
    recordedAt: place.at,
  };
  return { row, before, embedded };
}
