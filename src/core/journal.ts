import { createHash } from "node:crypto";

export const EVENT_KINDS = [
  "created",
  "derived",
  "updated",
  "deleted",
  "reviewed",
  "embedding_attached",
  "erased",
] as const;

export type EventKind = (typeof EVENT_KINDS)[number];

/** A change of one memory, before it has its place in the journal. */
export interface Change {
  readonly kind: EventKind;
  readonly memoryId: string;
  readonly revision: number;
}

/** One entry of a scope's journal: which memory changed, how and when; never what it says. */
export interface ChangeEvent extends Change {
  /** From 1, without gaps, in commit order. */
  readonly seq: number;
  readonly at: Date;
  /** Hex of SHA-256 over the digest of the entry before and this entry. */
  readonly digest: string;
}

/** Where a journal ends. */
export interface JournalHead {
  /** Tells this history from any other, such as one restored from an older dump. */
  readonly journalId: string;
  readonly seq: number;
  /** `""` while the journal is empty. */
  readonly digest: string;
}

/** Chains changes to the end of a journal. */
export function chainEvents(head: JournalHead, changes: readonly Change[], at: Date): ChangeEvent[] {
  let { seq, digest } = head;
  return changes.map((change) => {
    seq += 1;
    digest = eventDigest({ journalId: head.journalId, before: digest }, { ...change, seq, at });
    return { ...change, seq, at, digest };
  });
}

/** What the digest of an event must be, given the digest before it. */
export function eventDigest(
  chain: { readonly journalId: string; readonly before: string },
  event: Omit<ChangeEvent, "digest">,
): string {
  const { seq, kind, memoryId, revision, at } = event;
  const text = JSON.stringify([chain.journalId, chain.before, seq, kind, memoryId, revision, at.toISOString()]);
  return createHash("sha256").update(text).digest("hex");
}
