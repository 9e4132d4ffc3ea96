import type { Json, Visibility } from "../../src/core/memory.js";
import type { Filters } from "../../src/core/scope.js";

/** What a test wrote of a memory, each write a state. */
export interface KnownFields {
  readonly content: string;
  readonly tags: readonly string[];
  readonly namespace: string | null;
  readonly sourceSite: string | null;
  readonly sessionId: string | null;
  readonly episodeType: string | null;
  readonly eventAt: Date;
  readonly expiresAt: Date | null;
  readonly visibility: Visibility | null;
  readonly metadata: Readonly<Record<string, Json>>;
}

export interface KnownState {
  readonly at: Date;
  /** Null once it is deleted. */
  readonly fields: KnownFields | null;
  readonly rejected: boolean;
}

export interface KnownMemory {
  readonly id: string;
  readonly author: string | null;
  /** Agents that may see it while it is restricted. */
  granted: readonly string[];
  /** In the order of the writes. */
  readonly states: readonly KnownState[];
}

/** Who asks, and about when. */
export interface Asking {
  /** The agent of a workspace, null with a user. */
  readonly viewer: string | null;
  readonly at: Date;
}

/** What the flat filters are, with one condition on `metadata.k`. */
export type KnownFilters = Omit<Filters, "tree" | "externalId"> & { readonly k?: Json | undefined };

/** As a search, judged here by plain reading of the rules, has to treat a memory. */
export type Standing = "not_found" | "not_eligible" | "expired" | "filtered_out" | "matching";

export function standingOf(memory: KnownMemory, asking: Asking, filters: KnownFilters): Standing {
  const state = memory.states.findLast(({ at }) => at.getTime() <= asking.at.getTime());
  const last = memory.states.findLast(({ fields }) => fields !== null);
  if (!state?.fields || !last?.fields) return "not_found";
  const { viewer } = asking;
  if (viewer !== null && ![state.fields, last.fields].every((fields) => maySee(memory, fields, viewer))) {
    return "not_found";
  }
  if (state.rejected) return "not_eligible";
  if (state.fields.expiresAt !== null && state.fields.expiresAt.getTime() <= asking.at.getTime()) return "expired";
  return matches(memory, state.fields, filters) ? "matching" : "filtered_out";
}

/** The content that the memory had then. */
export function contentThen(memory: KnownMemory, at: Date): string | undefined {
  return memory.states.findLast((state) => state.at.getTime() <= at.getTime())?.fields?.content;
}

function maySee({ author, granted }: KnownMemory, { visibility }: KnownFields, viewer: string): boolean {
  if (visibility === "workspace" || author === viewer) return true;
  return visibility === "restricted" && granted.includes(viewer);
}

function matches({ author }: KnownMemory, fields: KnownFields, filters: KnownFilters): boolean {
  const { authors } = filters;
  const judged: boolean[] = [
    filters.agentId === undefined || author === filters.agentId,
    authors === undefined || ("not" in authors ? author !== authors.not : authors.among.includes(author ?? "")),
    filters.namespaceScope === undefined || isBelow(fields.namespace, filters.namespaceScope),
    filters.sourceSite === undefined || fields.sourceSite === filters.sourceSite,
    filters.sessionId === undefined || fields.sessionId === filters.sessionId,
    filters.episodeTypes?.includes(fields.episodeType ?? "") ?? true,
    filters.tagsAny?.some((tag) => fields.tags.includes(tag)) ?? true,
    filters.tagsAll?.every((tag) => fields.tags.includes(tag)) ?? true,
    filters.eventFrom === undefined || fields.eventAt.getTime() >= filters.eventFrom.getTime(),
    filters.eventBefore === undefined || fields.eventAt.getTime() < filters.eventBefore.getTime(),
    filters.k === undefined || fields.metadata.k === filters.k,
  ];
  return !judged.includes(false);
}

function isBelow(namespace: string | null, scope: string): boolean {
  const [segments, wanted] = [namespace?.split("/") ?? [], scope.split("/")];
  return wanted.every((segment, index) => segments[index] === segment);
}
