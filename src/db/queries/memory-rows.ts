import type { Memory } from "../../core/memory.js";
import { sql } from "../sql.js";

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

/** Select list of a memory: head row `m`, revision `r`, candidate `c`; `$space` tells which vectors count. */
export function memoryColumns(spaceId: number) {
  return sql`m.id as "id",
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
         case when c.space_id = ${spaceId}::bigint then 'ready' else 'pending' end as "embeddingStatus",
         m.created_at as "createdAt",
         r.recorded_at as "updatedAt"`;
}

/** The current revision of each candidate `c`. */
export const joinCurrentRevision = sql`join memories as m
      on m.scope_id = c.scope_id
      and m.id = c.memory_id
    join memory_revisions as r
      on r.scope_id = c.scope_id
      and r.memory_id = c.memory_id
      and r.revision = c.revision`;

export type MemoryRow = Memory;
