import { NAME_MAX_BYTES, SOURCES_MAX, TAG_MAX_BYTES, TAGS_MAX } from "../../core/limits.js";
import { REVIEWS, VISIBILITIES } from "../../core/memory.js";
import { z } from "../zod.js";
import { memoryFields } from "./memory.js";
import { Metadata } from "./metadata.js";
import { text } from "./text.js";
import { Time } from "./time.js";

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const Id = z.string().regex(UUID, "must be a UUID in lower case").openapi({ format: "uuid" });
const Ordinal = z.int().min(1).max(2_147_483_647);
const Unit = z.number().min(0).max(1);
const Name = text(NAME_MAX_BYTES);

export const HeaderLine = z
  .strictObject({
    kind: z.literal("memgate_export"),
    version: z.literal(1),
    partition: z.enum(["user", "workspace"]).openapi({ description: "Whose memories these are; not who that is." }),
  })
  .openapi("ExportHeader");

const headFields = {
  kind: z.literal("memory"),
  id: Id,
  revision: Ordinal,
  created_at: Time,
  updated_at: Time,
};

export const MemoryLine = z
  .strictObject({
    ...headFields,
    agent_id: Name.nullable(),
    deleted_at: Time.nullable().openapi({ description: "Set: a tombstone, one revision after the last that follows." }),
    sources: z
      .array(z.strictObject({ id: Id, content_revision: Ordinal }))
      .max(SOURCES_MAX)
      .openapi({ description: "What it was derived from, in order of id, and the content revision that is meant." }),
    grants: z
      .array(z.strictObject({ agent_id: Name, granted_at: Time }))
      .openapi({ description: "In order of the agents' UTF-8 bytes." }),
  })
  .openapi("ExportedMemory", {
    description: "A memory; its revisions follow, each a line, from the first to the last.",
  });

export const ErasedLine = z
  .strictObject({ ...headFields, deleted_at: Time, erased: z.literal(true), erased_at: Time })
  .openapi("ExportedErasure", { description: "What is left of an erased memory; nothing follows." });

export const RevisionLine = z
  .strictObject({
    kind: z.literal("revision"),
    id: Id,
    revision: Ordinal,
    content_revision: Ordinal,
    content: memoryFields.content,
    namespace: memoryFields.namespace.unwrap(),
    source_site: memoryFields.source_site.unwrap(),
    source_url: memoryFields.source_url.unwrap(),
    session_id: memoryFields.session_id.unwrap(),
    episode_type: memoryFields.episode_type.unwrap(),
    tags: z.array(text(TAG_MAX_BYTES)).max(TAGS_MAX),
    importance: Unit,
    trust: Unit,
    metadata: Metadata,
    event_at: Time,
    expires_at: Time.nullable(),
    external_id: memoryFields.external_id.unwrap(),
    visibility: z.enum(VISIBILITIES).nullable(),
    review: z.enum(REVIEWS),
    recorded_at: Time,
  })
  .openapi("ExportedRevision");

/** Any line of an export. */
export const ExportLine = z.union([HeaderLine, MemoryLine, ErasedLine, RevisionLine]).openapi("ExportLine");

export type MemoryLine = z.output<typeof MemoryLine>;
export type ErasedLine = z.output<typeof ErasedLine>;
export type RevisionLine = z.output<typeof RevisionLine>;
