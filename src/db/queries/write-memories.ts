import type { MemoryFields, Review } from "../../core/memory.js";
import type { Runnable } from "../database.js";
import { sql } from "../sql.js";

/** What the program computes from a content, since SQL cannot. */
export interface ContentFacts {
  /** Hex of SHA-256. */
  readonly contentDigest: string;
  /** Lexemes of the content in each set, repetitions counted. */
  readonly exactLength: number;
  readonly stemmedLength: number;
}

/** A revision that is about to be written. */
export interface RevisionRow extends MemoryFields, ContentFacts {
  /** Equal for equal content; see `normaliseContent`. Null for a memory written before content keys were. */
  readonly contentKey: string | null;
  readonly id: string;
  readonly memoryNo: number;
  readonly revision: number;
  readonly contentRevision: number;
  readonly agentId: string | null;
  readonly review: Review;
  readonly recordedAt: Date;
}

/** The first revision of a new memory. */
export interface NewMemoryRow extends RevisionRow {
  /** 0 without sources, else one more than the deepest of them. */
  readonly depth: number;
}

/** A live memory as a writer sees it under the scope's lock. */
export interface HeadRow {
  readonly id: string;
  readonly memoryNo: number;
  readonly revision: number;
  readonly contentRevision: number;
  readonly agentId: string | null;
  readonly externalId: string | null;
  /** Null for a memory written before content keys were. */
  readonly contentKey: string | null;
  readonly content: string;
  readonly expiresAt: Date | null;
  readonly review: Review;
  readonly createdAt: Date;
}

/** New memories: the head rows and their first revisions. What their sources say of them is `refreshFromSources`'s. */
export async function insertMemories(tx: Runnable, scopeId: number, rows: readonly NewMemoryRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.run(sql`
    insert into memories (scope_id, id, memory_no, revision, content_revision, agent_id, external_id, content_key,
      effective_valid_until, depth, created_at, updated_at)
    select ${scopeId}::bigint, n."id", n."memoryNo", n."revision", n."contentRevision", n."agentId", n."externalId",
           n."contentKey", n."expiresAt", n."depth", n."recordedAt", n."recordedAt"
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as n(
      "id" uuid, "memoryNo" bigint, "revision" integer, "contentRevision" integer, "agentId" text, "externalId" text,
      "contentKey" text, "expiresAt" timestamptz, "depth" smallint, "recordedAt" timestamptz)
  `);
  await insertRevisions(tx, scopeId, rows);
}

/** Moves live memories to their next revision; where its expiry is another one, `refreshFromSources` has to follow. */
export async function reviseMemories(tx: Runnable, scopeId: number, rows: readonly RevisionRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.run(sql`
    update memories as m
    set revision = n."revision",
        content_revision = n."contentRevision",
        external_id = n."externalId",
        content_key = n."contentKey",
        review = n."review",
        updated_at = n."recordedAt"
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as n(
      "id" uuid, "revision" integer, "contentRevision" integer, "externalId" text, "contentKey" text,
      "review" text, "recordedAt" timestamptz)
    where m.scope_id = ${scopeId}::bigint
      and m.id = n."id"
  `);
  await insertRevisions(tx, scopeId, rows);
}

/** Revisions of memories that are stored already. */
export async function insertRevisions(
  tx: Runnable,
  scopeId: number,
  rows: readonly Omit<RevisionRow, "memoryNo" | "agentId" | "contentKey">[],
): Promise<void> {
  await tx.run(sql`
    insert into memory_revisions (
      scope_id, memory_id, revision, content_revision, content, content_digest, exact_length, stemmed_length,
      namespace, source_site, source_url, session_id,
      episode_type, tags, importance, trust, metadata, event_at, expires_at, external_id, visibility, review,
      recorded_at)
    select ${scopeId}::bigint, n."id", n."revision", n."contentRevision", n."content", n."contentDigest",
           n."exactLength", n."stemmedLength", n."namespace", n."sourceSite", n."sourceUrl", n."sessionId", n."episodeType",
           array(select jsonb_array_elements_text(n."tags")),
           n."importance", n."trust", n."metadata", n."eventAt", n."expiresAt", n."externalId", n."visibility",
           n."review", n."recordedAt"
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as n(
      "id" uuid, "revision" integer, "contentRevision" integer, "content" text, "contentDigest" text,
      "exactLength" integer, "stemmedLength" integer, "namespace" text, "sourceSite" text,
      "sourceUrl" text, "sessionId" text, "episodeType" text, "tags" jsonb, "importance" double precision,
      "trust" double precision, "metadata" jsonb, "eventAt" timestamptz, "expiresAt" timestamptz, "externalId" text,
      "visibility" text, "review" text, "recordedAt" timestamptz)
  `);
}

/** Ends the current truth of live memories; their revisions and bindings stay. */
export async function markDeleted(
  tx: Runnable,
  scopeId: number,
  what: { readonly ids: readonly string[]; readonly at: Date },
): Promise<void> {
  await tx.run(sql`
    update memories
    set deleted_at = ${what.at}::timestamptz,
        updated_at = ${what.at}::timestamptz,
        revision = revision + 1
    where scope_id = ${scopeId}::bigint
      and id = any(${what.ids}::uuid[])
      and deleted_at is null
  `);
}
