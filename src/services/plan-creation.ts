import { uuidv7 } from "uuidv7";
import { invalidRequest, type FieldError } from "../core/errors.js";
import { reviewAfter } from "../core/memory.js";
import { readByContentKey, readByExternalId } from "../db/queries/heads.js";
import type { SourceRow } from "../db/queries/memory-sources.js";
import type { HeadRow } from "../db/queries/write-memories.js";
import type { SpaceVectors } from "./embed-in-spaces.js";
import type { CreateRequest, MemoryDraft } from "./creation-request.js";
import type { WritableScope } from "./resolve-scope.js";
import { resolveSources } from "./resolve-sources.js";
import type { RevisionChange } from "./store-revisions.js";
import type { ScopeWrite } from "./write-in-scope.js";

/** A draft with what was prepared for it outside the lock. */
export interface CreationItem {
  readonly draft: MemoryDraft;
  readonly embedded: SpaceVectors;
  /** The content's key. */
  readonly key: string;
}

/** What becomes of one draft. */
export type Plan =
  | { readonly outcome: "created" | "updated"; readonly named: NamedHead; readonly change: RevisionChange }
  | { readonly outcome: "existing"; readonly named: NamedHead }
  | { readonly outcome: "rejected"; readonly errors: readonly FieldError[] };

interface NamedHead {
  readonly id: string;
  readonly revision: number;
}

type Creation = CreateRequest & { readonly scope: WritableScope; readonly items: readonly CreationItem[] };

/**
 * Decides under the scope's lock, for each draft in order: an external id names the memory to replace, else a duplicate
 * may stand for the new one. Throws `invalid_request` where the request is atomic and a draft cannot be stored.
 */
export async function planCreation(write: ScopeWrite, request: Creation): Promise<Plan[]> {
  const items = await withHeads(write, request);
  const resolved = await resolveSources(
    write,
    request.scope,
    items.map(({ draft, before }) => ({ sourceMemoryIds: draft.sourceMemoryIds, before })),
  );
  const faults = resolved.map(({ errors }, index) => errors.map((error) => placed(error, request.paths[index])));
  if (request.atomic && faults.some((errors) => errors.length > 0)) throw invalidRequest(faults.flat());
  const duplicates = await readDuplicates(write, request, items);
  return items.map((item, index): Plan => {
    const errors = faults[index] ?? [];
    if (errors.length > 0) return { outcome: "rejected", errors };
    const existing = item.before === undefined ? duplicates.get(item.key) : undefined;
    if (existing !== undefined) return { outcome: "existing", named: existing };
    const change = toChange(write, request, { ...item, sources: resolved[index]?.sources ?? [] });
    if (mayStandIn(write, request, change) && !duplicates.has(item.key)) duplicates.set(item.key, change.row);
    return { outcome: item.before === undefined ? "created" : "updated", named: change.row, change };
  });
}

interface ItemOfHead extends CreationItem {
  /** The author's live memory with the draft's external id. */
  readonly before: HeadRow | undefined;
}

async function withHeads(write: ScopeWrite, { items, agentId }: Creation): Promise<ItemOfHead[]> {
  const externalIds = items.flatMap(({ draft }) => draft.externalId ?? []);
  const taken = await readByExternalId(write.tx, write.scopeId, { agentId, externalIds });
  const byName = new Map(taken.map((head) => [head.externalId, head]));
  return items.map((item) => ({
    ...item,
    before: item.draft.externalId === null ? undefined : byName.get(item.draft.externalId),
  }));
}

/**
 * The memories that may be returned instead of new ones, by content key; none unless the request asks for that. What the
 * request itself replaces is not among them: it will no longer say what it says.
 */
async function readDuplicates(
  write: ScopeWrite,
  request: Creation,
  items: readonly ItemOfHead[],
): Promise<Map<string, NamedHead>> {
  if (request.onDuplicate === "keep") return new Map();
  const contentKeys = items.map((item) => item.key);
  const replaced = items.flatMap(({ before }) => (before === undefined ? [] : [before.id]));
  const wanted = { agentId: request.agentId, contentKeys, replaced, at: write.at };
  const found = await readByContentKey(write.tx, write.scopeId, wanted);
  return new Map(found.map((memory) => [memory.contentKey, memory]));
}

/** Whether a later draft with the same content gets this one's memory: only one that can be found. */
function mayStandIn(write: ScopeWrite, { onDuplicate }: Creation, { row }: RevisionChange): boolean {
  const expired = row.expiresAt !== null && row.expiresAt <= write.at;
  return onDuplicate === "return_existing" && !expired && row.review !== "rejected";
}

function placed(error: FieldError, path = ""): FieldError {
  return path === "" ? error : { ...error, path: `${path}.${error.path}` };
}

function toChange(
  write: ScopeWrite,
  { agentId }: Creation,
  item: ItemOfHead & { readonly sources: readonly SourceRow[] },
): RevisionChange {
  const { draft, embedded, key, before, sources } = item;
  const place = before === undefined ? newPlace(write) : nextPlace(before, draft);
  const row = {
    ...draft,
    ...place,
    eventAt: draft.eventAt ?? write.at,
    contentKey: key,
    agentId,
    recordedAt: write.at,
  };
  const kindOfNew = sources.length === 0 ? "created" : "derived";
  return { kind: before === undefined ? kindOfNew : "updated", row, before, sources, embedded };
}

function newPlace(write: ScopeWrite) {
  return { id: uuidv7(), memoryNo: write.takeMemoryNo(), revision: 1, contentRevision: 1, review: "none" as const };
}

function nextPlace(before: HeadRow, { content }: MemoryDraft) {
  const { id, memoryNo, revision, contentRevision, review } = before;
  const changed = before.content !== content;
  return {
    id,
    memoryNo,
    revision: revision + 1,
    contentRevision: contentRevision + (changed ? 1 : 0),
    review: reviewAfter(review, changed),
  };
}
