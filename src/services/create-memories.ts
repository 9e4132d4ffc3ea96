import { authorise } from "../core/access.js";
import type { FieldError } from "../core/errors.js";
import type { EmbeddingStatus } from "../core/memory.js";
import { readEmbeddingStatus } from "../db/queries/heads.js";
import { contentKeys } from "./content-keys.js";
import type { CreateRequest } from "./creation-request.js";
import type { BoundDeps, Caller } from "./deps.js";
import { embedInSpaces, NO_VECTORS } from "./embed-in-spaces.js";
import { toOnce } from "./once.js";
import { planCreation, type CreationItem } from "./plan-creation.js";
import type { WritableScope } from "./resolve-scope.js";
import { storeRevisions } from "./store-revisions.js";
import { writeInScope, type ScopeWrite, type Written } from "./write-in-scope.js";

/** Kept by the receipt, so it has to be JSON. */
export type Created = Stored | Refused;

export interface Stored {
  /** `updated`: the author's live memory with this external id was replaced; `existing`: one with this content was found. */
  readonly outcome: "created" | "updated" | "existing";
  readonly id: string;
  readonly revision: number;
  readonly embeddingStatus: EmbeddingStatus;
}

/** A draft whose sources are not to be had. */
export interface Refused {
  readonly outcome: "rejected";
  readonly errors: readonly FieldError[];
}

/**
 * Stores memories as they are, in order, in one transaction.
 * Embedding is waited for outside the transaction and for a bounded time; what is missing then is pending.
 * Throws `invalid_request` naming sources that are not to be had, `derivation_too_wide`, and `forbidden` for deriving
 * from memories without the right to read them.
 */
export async function createMemories(
  deps: BoundDeps,
  caller: Caller,
  request: CreateRequest,
): Promise<Written<Created[]>> {
  const { drafts } = request;
  if (drafts.some((draft) => draft.sourceMemoryIds.length > 0)) {
    authorise(caller, { capabilities: ["memory_read"], scope: undefined });
  }
  const contents = drafts.map((draft) => draft.content);
  const scope = await deps.scopes.ensure(caller, { names: request.names, agentId: request.agentId });
  const once = await toOnce(deps, caller, request.once);
  return await writeInScope(
    deps,
    { scopeId: scope.id, once },
    {
      prepare: async () => ({
        embedded: await embedInSpaces(deps, contents),
        keys: await contentKeys(deps, caller, contents),
      }),
      work: async (write, { embedded, keys }) => {
        const items = drafts.map((draft, index) => ({
          draft,
          embedded: embedded[index] ?? NO_VECTORS,
          key: keys[index] ?? "",
        }));
        return await store(write, { ...request, scope, items });
      },
    },
  );
}

async function store(
  write: ScopeWrite,
  request: CreateRequest & { readonly scope: WritableScope; readonly items: readonly CreationItem[] },
): Promise<Created[]> {
  const plans = await planCreation(write, request);
  const changes = plans.flatMap((plan) => ("change" in plan ? [plan.change] : []));
  await storeRevisions(write, changes);
  const ids = plans.flatMap((plan) => (plan.outcome === "rejected" ? [] : [plan.named.id]));
  const status = await readEmbeddingStatus(write.tx, write.scopeId, ids);
  return plans.map((plan): Created => {
    if (plan.outcome === "rejected") return plan;
    const { id, revision } = plan.named;
    return { outcome: plan.outcome, id, revision, embeddingStatus: status.get(id) ?? "pending" };
  });
}
