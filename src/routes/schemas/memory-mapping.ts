import { invalidField } from "../../core/errors.js";
import {
  IMPORTANCE_DEFAULT,
  TRUST_DEFAULT,
  type Memory,
  type MemoryFields,
  type Visibility,
} from "../../core/memory.js";
import type { MemoryDraft, ScopeRequest } from "../../services/index.js";
import type { z } from "../zod.js";
import type { MemoryInput, MemoryReply } from "./memory.js";
import { presentScope } from "./scope.js";

/** A memory to store with every default filled in. `path` is where it stands in the request: `""`, `memories[3]`. */
export function toDraft(input: MemoryInput, scope: ScopeRequest, path = ""): MemoryDraft {
  return {
    content: input.content,
    ...toProvenance(input),
    tags: [...new Set(input.tags ?? [])],
    importance: input.importance ?? IMPORTANCE_DEFAULT,
    trust: input.trust ?? TRUST_DEFAULT,
    metadata: input.metadata ?? {},
    eventAt: input.event_at ?? null,
    expiresAt: input.expires_at ?? null,
    visibility: toVisibility(input.visibility, scope, path),
    sourceMemoryIds: input.source_memory_ids ?? [],
  };
}

function toProvenance(input: MemoryInput) {
  return {
    namespace: input.namespace ?? null,
    sourceSite: input.source_site ?? null,
    sourceUrl: input.source_url ?? null,
    sessionId: input.session_id ?? null,
    episodeType: input.episode_type ?? null,
    externalId: input.external_id ?? null,
  };
}

type PatchName = Exclude<keyof MemoryInput, "source_memory_ids">;
type MemoryPatch = { readonly [Name in PatchName]?: MemoryInput[Name] | undefined };

/** The fields that a PATCH names: null clears one, that is gives it its default. */
export function toPatch(input: MemoryPatch, scope: ScopeRequest): Partial<MemoryFields> {
  const draft = toDraft({ ...input, content: input.content ?? "" }, scope);
  const patch = Object.entries(FIELD_OF_NAME).flatMap(([name, field]) => {
    return input[name as PatchName] === undefined ? [] : [[field, draft[field]] as const];
  });
  if (input.event_at === null) throw invalidField("event_at", "cannot be cleared: every memory has a time");
  return Object.fromEntries(patch);
}

const FIELD_OF_NAME = {
  content: "content",
  namespace: "namespace",
  source_site: "sourceSite",
  source_url: "sourceUrl",
  session_id: "sessionId",
  episode_type: "episodeType",
  tags: "tags",
  importance: "importance",
  trust: "trust",
  metadata: "metadata",
  event_at: "eventAt",
  expires_at: "expiresAt",
  external_id: "externalId",
  visibility: "visibility",
} as const satisfies Record<PatchName, keyof MemoryFields>;

function toVisibility(given: Visibility | null | undefined, scope: ScopeRequest, path: string): Visibility | null {
  if (scope.names.workspaceId !== null) return given ?? "workspace";
  if (given == null) return null;
  throw invalidField(
    path === "" ? "visibility" : `${path}.visibility`,
    "is for workspaces: a user's memories have no other agents to hide from",
  );
}

/** The wire form of a memory, field by field. */
export function presentMemory(memory: Memory, scope: ScopeRequest): z.output<typeof MemoryReply> {
  return {
    id: memory.id,
    revision: memory.revision,
    ...presentScope(scope),
    agent_id: memory.agentId,
    content: memory.content,
    namespace: memory.namespace,
    source_site: memory.sourceSite,
    source_url: memory.sourceUrl,
    session_id: memory.sessionId,
    episode_type: memory.episodeType,
    tags: [...memory.tags],
    importance: memory.importance,
    trust: memory.trust,
    metadata: memory.metadata,
    event_at: memory.eventAt.toISOString(),
    expires_at: memory.expiresAt?.toISOString() ?? null,
    external_id: memory.externalId,
    visibility: memory.visibility,
    source_memory_ids: [...memory.sourceMemoryIds],
    review: memory.review,
    embedding_status: memory.embeddingStatus,
    created_at: memory.createdAt.toISOString(),
    updated_at: memory.updatedAt.toISOString(),
  };
}
