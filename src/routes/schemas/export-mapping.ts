import { canonicalJson } from "../../core/canonical-json.js";
import type { ExportedHead, ExportedRevision, ExportRecord } from "../../core/exported.js";
import type { z } from "../zod.js";
import type { ErasedLine, ExportLine, MemoryLine, RevisionLine } from "./export-lines.js";

/** A record as a line of canonical JSON: keys in order, no space, one line feed. */
export function toLine(record: ExportRecord): string {
  return `${canonicalJson(present(record))}\n`;
}

function present(record: ExportRecord): z.input<typeof ExportLine> {
  switch (record.kind) {
    case "header":
      return { kind: "memgate_export", version: 1, partition: record.partition };
    case "memory":
      return presentHead(record.head);
    case "revision":
      return presentRevision(record.revision);
  }
}

function presentHead(head: ExportedHead): z.input<typeof MemoryLine> | z.input<typeof ErasedLine> {
  const deletedAt = head.deletedAt?.toISOString() ?? null;
  const common = {
    kind: "memory",
    id: head.id,
    revision: head.revision,
    created_at: head.createdAt.toISOString(),
    updated_at: head.updatedAt.toISOString(),
  } as const;
  if (head.erasedAt !== null) {
    const erasedAt = head.erasedAt.toISOString();
    return { ...common, deleted_at: deletedAt ?? erasedAt, erased: true, erased_at: erasedAt };
  }
  return {
    ...common,
    agent_id: head.agentId,
    deleted_at: deletedAt,
    sources: head.sources.map(({ id, contentRevision }) => ({ id, content_revision: contentRevision })),
    grants: head.grants.map(({ agentId, grantedAt }) => ({ agent_id: agentId, granted_at: grantedAt.toISOString() })),
  };
}

function presentRevision(revision: ExportedRevision): z.input<typeof RevisionLine> {
  return {
    kind: "revision",
    id: revision.id,
    revision: revision.revision,
    content_revision: revision.contentRevision,
    content: revision.content,
    namespace: revision.namespace,
    source_site: revision.sourceSite,
    source_url: revision.sourceUrl,
    session_id: revision.sessionId,
    episode_type: revision.episodeType,
    tags: [...revision.tags],
    importance: revision.importance,
    trust: revision.trust,
    metadata: revision.metadata,
    event_at: revision.eventAt.toISOString(),
    expires_at: revision.expiresAt?.toISOString() ?? null,
    external_id: revision.externalId,
    visibility: revision.visibility,
    review: revision.review,
    recorded_at: revision.recordedAt.toISOString(),
  };
}

/** The head of a line, its lists in the order in which they are exported. */
export function toHead(line: MemoryLine | ErasedLine): ExportedHead {
  const erased = "erased" in line;
  return {
    id: line.id,
    revision: line.revision,
    agentId: erased ? null : line.agent_id,
    createdAt: line.created_at,
    updatedAt: line.updated_at,
    deletedAt: line.deleted_at,
    erasedAt: erased ? line.erased_at : null,
    sources: erased ? [] : toSources(line),
    grants: erased ? [] : toGrants(line),
  };
}

function toSources({ sources }: MemoryLine): ExportedHead["sources"] {
  return sources
    .map(({ id, content_revision }) => ({ id, contentRevision: content_revision }))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

function toGrants({ grants }: MemoryLine): ExportedHead["grants"] {
  return grants
    .map(({ agent_id, granted_at }) => ({ agentId: agent_id, grantedAt: granted_at }))
    .sort((a, b) => Buffer.compare(Buffer.from(a.agentId), Buffer.from(b.agentId)));
}

export function toRevision(line: RevisionLine): ExportedRevision {
  return {
    id: line.id,
    revision: line.revision,
    contentRevision: line.content_revision,
    content: line.content,
    namespace: line.namespace,
    sourceSite: line.source_site,
    sourceUrl: line.source_url,
    sessionId: line.session_id,
    episodeType: line.episode_type,
    tags: line.tags,
    importance: line.importance,
    trust: line.trust,
    metadata: line.metadata,
    eventAt: line.event_at,
    expiresAt: line.expires_at,
    externalId: line.external_id,
    visibility: line.visibility,
    review: line.review,
    recordedAt: line.recorded_at,
  };
}
