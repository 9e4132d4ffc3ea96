import type { FieldError } from "./errors.js";
import type { MemoryFields, Review } from "./memory.js";

/** What a memory is beside its revisions, as it is exported and imported. */
export interface ExportedHead {
  readonly id: string;
  /** One more than the last of its revisions where it is deleted; the only trace of them where it is erased. */
  readonly revision: number;
  readonly agentId: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly deletedAt: Date | null;
  readonly erasedAt: Date | null;
  /** What it was derived from, in order of id, with the content revision that is meant. */
  readonly sources: readonly { readonly id: string; readonly contentRevision: number }[];
  /** Who was granted sight of it, in order of the agents' UTF-8 bytes. */
  readonly grants: readonly { readonly agentId: string; readonly grantedAt: Date }[];
}

/** One immutable revision, as it is exported and imported. */
export interface ExportedRevision extends MemoryFields {
  readonly id: string;
  readonly revision: number;
  readonly contentRevision: number;
  readonly review: Review;
  readonly recordedAt: Date;
}

/** Whose memories a scope holds: an export of one kind cannot be imported into the other. */
export type Partition = "user" | "workspace";

/** One line of an export: the header, then each memory by id, followed by its revisions in order. */
export type ExportRecord =
  | { readonly kind: "header"; readonly partition: Partition }
  | { readonly kind: "memory"; readonly head: ExportedHead }
  | { readonly kind: "revision"; readonly revision: ExportedRevision };

/** A memory to import, whole: all its revisions, none where it is erased. */
export interface ImportedMemory {
  readonly head: ExportedHead;
  readonly revisions: readonly ExportedRevision[];
  /** Where it stands in the import, from 1; its revisions are on the lines that follow. */
  readonly line: number;
}

/** What is wrong with a line, counted from 1; `field` is `""` where it is the line itself. */
export function lineError(line: number, field: string, message: string): FieldError {
  const path = `lines[${String(line - 1)}]`;
  return { path: field === "" ? path : `${path}.${field}`, message: `line ${String(line)}: ${message}` };
}
