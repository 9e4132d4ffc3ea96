import type { MemoryFields } from "../core/memory.js";
import type { OnceRequest } from "./once.js";
import type { ScopeRequest } from "./resolve-scope.js";

/** A memory to store; `eventAt` null means the time of writing. */
export type MemoryDraft = Omit<MemoryFields, "eventAt"> & {
  readonly eventAt: Date | null;
  /** The memories that it is derived from, distinct. */
  readonly sourceMemoryIds: readonly string[];
};

export const ON_DUPLICATE = ["keep", "return_existing"] as const;

/** What to do with a memory whose content its author already has in the scope. */
export type OnDuplicate = (typeof ON_DUPLICATE)[number];

export interface CreateRequest extends ScopeRequest {
  readonly drafts: readonly MemoryDraft[];
  /** Where each draft stands in the request, for errors: `memories[3]`, or `""` for the only one. */
  readonly paths: readonly string[];
  /** A draft that cannot be stored refuses them all; otherwise it is an outcome. */
  readonly atomic: boolean;
  readonly onDuplicate: OnDuplicate;
  readonly once: OnceRequest | undefined;
}
