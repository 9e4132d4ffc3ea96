import { uuidv7 } from "uuidv7";
import type { EmbeddingStatus, MemoryFields } from "../core/memory.js";
import { readByContentKey, readByExternalId, readEmbeddingStatus } from "../db/queries/heads.js";
import type { HeadRow } from "../db/queries/write-memories.js";
import type { EmbeddedText } from "../embeddings/embedder.js";
import { contentKeys } from "./content-keys.js";
import type { BoundDeps, Caller } from "./deps.js";
import { embedWithin } from "./embed-within.js";
import { toOnce, type OnceRequest } from "./once.js";
import type { ScopeRequest } from "./resolve-scope.js";
import { storeRevisions, type RevisionChange } from "./store-revisions.js";
import { writeInScope, type ScopeWrite, type Written } from "./write-in-scope.js";

/** A memory to store; `eventAt` null means the time of writing. */
export type MemoryDraft = Omit<MemoryFields, "eventAt"> & { readonly eventAt: Date | null };

export const ON_DUPLICATE = ["keep", "return_existing"] as const;

/** What to do with a memory whose content its author already has in the scope. */
export type OnDuplicate = (typeof ON_DUPLICATE)[number];

export interface CreateRequest extends ScopeRequest {
  readonly drafts: readonly MemoryDraft[];
  readonly onDuplicate: OnDuplicate;
  readonly once: OnceRequest | undefined;
}

/** Kept by the receipt, so it has to be JSON. */
export interface Created {
  /** `updated`: the author's live memory with this external id was replaced; `existing`: one with this content was found. */
  readonly outcome: "created" | "updated" | "existing";
  readonly id: string;
  readonly revision: number;
  readonly embeddingStatus: EmbeddingStatus;
}

/**
 * Stores memories as they are, in order, all or none.
 * Embedding is waited for outside the transaction and for a bounded time; what is missing then is pending.
 */
export async function createMemories(
  deps: BoundDeps,
  caller: Caller,
  request: CreateRequest,
): Promise<Written<Created[]>> {
  const { drafts } = request;
  const contents = drafts.map((draft) => draft.content);
  const scope = await deps.scopes.ensure(caller, { names: request.names, agentId: request.agentId });
  const once = await toOnce(deps, caller, request.once);
  return await writeInScope(
    deps,
    { scopeId: scope.id, once },
    {
      prepare: async () => ({
        embedded: await embedWithin(deps.embedder, contents, deps.writeEmbedWaitMs),
        keys: await contentKeys(deps, caller, contents),
      }),
      work: async (write, { embedded, keys }) => {
        const items = drafts.map((draft, index) => ({
          draft,
          embedded: embedded[index] ?? null,
          key: keys[index] ?? "",
        }));
        return await store(deps, write, { ...request, items });
      },
    },
  );
}

interface Item {
  readonly draft: MemoryDraft;
  readonly embedded: EmbeddedText | null;
  /** The content's key. */
  readonly key: string;
}

type Plan =
  { readonly change: RevisionChange } | { readonly existing: { readonly id: string; readonly revision: number } };

async function store(
  deps: BoundDeps,
  write: ScopeWrite,
  request: CreateRequest & { readonly items: readonly Item[] },
): Promise<Created[]> {
  const plans = await plan(write, request);
  const changes = plans.flatMap((each) => ("change" in each ? [each.change] : []));
  await storeRevisions(write, deps, changes);
  const ids = plans.map((each) => ("change" in each ? each.change.row.id : each.existing.id));
  const status = await readEmbeddingStatus(write.tx, write.scopeId, { ids, spaceId: deps.spaceId });
  return plans.map((each): Created => {
    const { id, revision } = "change" in each ? each.change.row : each.existing;
    const outcome = "existing" in each ? "existing" : each.change.before === undefined ? "created" : "updated";
    return { outcome, id, revision, embeddingStatus: status.get(id) ?? "pending" };
  });
}

/** Decided under the scope's lock: an external id names its memory, else a duplicate may stand for the new one. */
async function plan(write: ScopeWrite, request: CreateRequest & { readonly items: readonly Item[] }): Promise<Plan[]> {
  const { items, agentId } = request;
  const externalIds = items.flatMap(({ draft }) => draft.externalId ?? []);
  const taken = await readByExternalId(write.tx, write.scopeId, { agentId, externalIds });
  const wantedKeys = request.onDuplicate === "keep" ? [] : items.map((item) => item.key);
  const found = await readByContentKey(write.tx, write.scopeId, { agentId, contentKeys: wantedKeys, at: write.at });
  const byKey = new Map(found.map((memory) => [memory.contentKey, memory]));
  return items.map((item) => {
    const before =
      item.draft.externalId === null ? undefined : taken.find((head) => head.externalId === item.draft.externalId);
    const existing =
      before === undefined && request.onDuplicate === "return_existing" ? byKey.get(item.key) : undefined;
    if (existing !== undefined) return { existing };
    const change = toChange(item, { write, before, agentId });
    byKey.set(item.key, { ...change.row, contentKey: item.key });
    return { change };
  });
}

function toChange(
  item: Item,
  place: { readonly write: ScopeWrite; readonly before: HeadRow | undefined; readonly agentId: string | null },
): RevisionChange {
  const { draft, embedded, key } = item;
  const { write, before } = place;
  const sameContent = before?.content === draft.content;
  const row = {
    ...draft,
    eventAt: draft.eventAt ?? write.at,
    id: before?.id ?? uuidv7(),
    memoryNo: before?.memoryNo ?? write.takeMemoryNo(),
    revision: (before?.revision ?? 0) + 1,
    contentRevision: (before?.contentRevision ?? 0) + (sameContent ? 0 : 1),
    contentKey: key,
    agentId: place.agentId,
    recordedAt: write.at,
  };
  return { row, before, embedded };
}
