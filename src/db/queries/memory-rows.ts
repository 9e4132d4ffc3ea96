import type { Memory } from "../../core/memory.js";
import { sql } from "../sql.js";
import { SERVED } from "./served-space.js";

/** What a revision `r` says of its memory. */
export const revisionColumns = sql`r.content as "content",
         r.namespace as "namespace",
         r.source_site as "sourceSite",
         r.source_url as "sourceUrl",
         r.session_id as "sessionId",
         r.episode_type as "episodeType",
         r.tags as "tags",
         r.importance as "importance",
         r.trust as "trust",
         r.metadata as "metadata",
         r.event_at as "eventAt",
         r.expires_at as "expiresAt",
         r.external_id as "externalId",
         r.visibility as "visibility",
         r.review as "review"`;

/**
 * Whether the current content of the live memory `m` has a vector of the served space. A candidate may still hold that of
 * the space that was served before; a scalar, since that is never looked up for all memories at once.
 */
export const embeddingStatus = sql`coalesce((
           select 'ready'
           from bindings as b
           where b.scope_id = m.scope_id
             and b.space_id = ${SERVED}
             and b.memory_id = m.id
             and b.content_revision = m.content_revision
             and m.deleted_at is null
         ), 'pending')`;

/** Select list of a memory: head row `m`, revision `r`. */
export const memoryColumns = sql`m.id as "id",
         r.revision as "revision",
         m.agent_id as "agentId",
         ${revisionColumns},
         array(
           select e.source_id::text
           from memory_sources as e
           where e.scope_id = m.scope_id
             and e.memory_id = m.id
           order by e.source_id
         ) as "sourceMemoryIds",
         ${embeddingStatus} as "embeddingStatus",
         m.created_at as "createdAt",
         r.recorded_at as "updatedAt"`;

/** The current revision of each candidate `c`. */
export const joinCurrentRevision = sql`join memories as m
      on m.scope_id = c.scope_id
      and m.id = c.memory_id
    join memory_revisions as r
      on r.scope_id = c.scope_id
      and r.memory_id = c.memory_id
      and r.revision = c.revision`;

export type MemoryRow = Memory;
