import {
  CONTENT_MAX_BYTES,
  EPISODE_TYPE_MAX_BYTES,
  NAME_MAX_BYTES,
  NAMESPACE_MAX_BYTES,
  SOURCES_MAX,
  SOURCE_URL_MAX_BYTES,
  TAG_MAX_BYTES,
  TAGS_MAX,
} from "../../core/limits.js";
import { EMBEDDING_STATUSES, IMPORTANCE_DEFAULT, REVIEWS, TRUST_DEFAULT, VISIBILITIES } from "../../core/memory.js";
import { ON_DUPLICATE } from "../../services/index.js";
import { z } from "../zod.js";
import { Metadata } from "./metadata.js";
import { text } from "./text.js";
import { Time, TimeReply } from "./time.js";

export const Namespace = text(NAMESPACE_MAX_BYTES)
  .refine(
    (value) => value.split("/").every((segment) => segment.trim() !== ""),
    "must be segments joined by /, none of them blank",
  )
  .openapi({ example: "work/projects" });

const Unit = z.number().min(0).max(1);

/** The fields of a memory that a caller sets and changes, without defaults; absent and null both mean "none". */
export const memoryFields = {
  content: text(CONTENT_MAX_BYTES).openapi({ description: "The memory itself, kept verbatim. 1 to 65,536 bytes." }),
  namespace: Namespace.nullish(),
  source_site: text(NAME_MAX_BYTES)
    .nullish()
    .openapi({ description: "Where it came from: `mail.google.com`, `slack`." }),
  source_url: text(SOURCE_URL_MAX_BYTES)
    .refine((value) => URL.canParse(value), "must be an absolute URL")
    .nullish(),
  session_id: text(NAME_MAX_BYTES).nullish(),
  episode_type: text(EPISODE_TYPE_MAX_BYTES).nullish(),
  tags: z.array(text(TAG_MAX_BYTES)).max(TAGS_MAX).nullish(),
  importance: Unit.nullish().openapi({
    description: `0 to 1, default ${String(IMPORTANCE_DEFAULT)}; breaks near-ties in the ranking.`,
  }),
  trust: Unit.nullish().openapi({
    description: `0 to 1, default ${String(TRUST_DEFAULT)}; multiplies the ranking score.`,
  }),
  metadata: Metadata.nullish(),
  event_at: Time.nullish().openapi({ description: "When it happened; default: the time of writing." }),
  expires_at: Time.nullish().openapi({ description: "From this time on it is not found any more." }),
  external_id: text(NAME_MAX_BYTES).nullish().openapi({
    description:
      "The caller's own name for it, unique among one author's memories of a scope: posting it again replaces the memory.",
  }),
  visibility: z.enum(VISIBILITIES).nullish().openapi({
    description: "Workspaces only, default `workspace`: who of its agents may see the memory.",
  }),
};

/** A source is a memory by its id: one that is no UUID is as unknown as any other. */
const SourceMemoryIds = z
  .array(z.string().max(64).openapi({ format: "uuid" }))
  .max(SOURCES_MAX)
  .superRefine((ids, context) => {
    const first = new Map<string, number>();
    ids.forEach((id, index) => {
      const before = first.get(id.toLowerCase());
      if (before === undefined) first.set(id.toLowerCase(), index);
      else context.addIssue({ code: "custom", path: [index], message: `is the same as that at ${String(before)}` });
    });
  })
  .nullish()
  .openapi({
    description:
      "Current memories of the scope that this one is derived from, at most 64 and over at most 8 levels; needs the right to read. It is found only while each of them, and each of theirs, is undeleted, unrejected, unexpired and has the content that it had then. They never change: an `external_id` that is posted again names the same ones, or none.",
  });

/** The fields of a memory to store: those that can be changed, and what it is derived from. */
export const draftFields = { ...memoryFields, source_memory_ids: SourceMemoryIds };

/** What to do with a memory whose content its author already has in the scope. */
export const OnDuplicate = z.enum(ON_DUPLICATE).default("keep").openapi({
  description:
    "keep: store it all the same. return_existing: return the author's oldest current memory with this content (after NFC and white space) instead.",
});

/** A memory to store, without its scope. */
export const MemoryInput = z.strictObject(draftFields).openapi("MemoryInput");
export type MemoryInput = z.output<typeof MemoryInput>;

/** A memory as every reply shows it. A vector never appears. */
export const MemoryReply = z
  .strictObject({
    id: z.uuid(),
    revision: z.int().min(1).openapi({ description: "Grows with every accepted change; also the ETag." }),
    project: z.string().nullable(),
    mission: z.string().nullable(),
    user_id: z.string().nullable(),
    workspace_id: z.string().nullable(),
    agent_id: z.string().nullable(),
    content: z.string(),
    namespace: z.string().nullable(),
    source_site: z.string().nullable(),
    source_url: z.string().nullable(),
    session_id: z.string().nullable(),
    episode_type: z.string().nullable(),
    tags: z.array(z.string()),
    importance: Unit,
    trust: Unit,
    metadata: z.record(z.string(), z.unknown()),
    event_at: TimeReply,
    expires_at: TimeReply.nullable(),
    external_id: z.string().nullable(),
    visibility: z.enum(VISIBILITIES).nullable(),
    source_memory_ids: z.array(z.uuid()).openapi({
      description:
        "What it was derived from, in order of id; not all of them need be current or visible to the caller.",
    }),
    review: z.enum(REVIEWS).openapi({
      description:
        "`rejected`: found by nothing, nor is what is derived from it. An approval ends when the content changes.",
    }),
    embedding_status: z.enum(EMBEDDING_STATUSES).openapi({
      description: "`pending`: stored and listed, but without a vector yet; it gets one in the background.",
    }),
    created_at: TimeReply,
    updated_at: TimeReply,
  })
  .openapi("Memory");
