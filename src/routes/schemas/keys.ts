import { CAPABILITIES, GRANT_VALUES_MAX, type Grants } from "../../core/access.js";
import { NAME_MAX_BYTES } from "../../core/limits.js";
import type { ApiKey, KeyDraft } from "../../services/index.js";
import { z } from "../zod.js";
import { text } from "./text.js";
import { TimeReply } from "./time.js";

const name = text(NAME_MAX_BYTES);
const list = <T extends z.ZodType>(item: T) => z.array(item).min(1).max(GRANT_VALUES_MAX).optional();

export const GrantsShape = z
  .strictObject({
    projects: list(name.nullable()).openapi({ description: "null in the list stands for no project." }),
    workspaces: list(name),
    agents: list(name).openapi({
      description:
        "Every request has to name one of these as `agent_id`. In a workspace that decides what the key sees; with " +
        "`user_id` it only fixes the provenance of what is written.",
    }),
    user_ids: list(name),
  })
  .openapi("Grants", {
    description:
      "The exact names that the key may use. An absent list limits nothing, save that a key with `user_ids` and no " +
      "`workspaces` may name no workspace, and the other way round. Missions are not limited.",
  });

export const CreateKeyBody = z
  .strictObject({
    name: name.openapi({ description: "What the key is for." }),
    capabilities: z
      .array(z.enum(CAPABILITIES))
      .min(1)
      .max(CAPABILITIES.length)
      .openapi({
        description:
          "None implies another. `admin` manages the tenant's keys, may make one with any capability and any grants, " +
          "and reads no memory itself.",
      }),
    grants: GrantsShape.default({}),
  })
  .openapi("CreateKey");

const keyFields = {
  id: z.uuid(),
  name: z.string(),
  capabilities: z.array(z.enum(CAPABILITIES)),
  grants: GrantsShape,
  created_at: TimeReply,
  revoked_at: TimeReply.nullable(),
};

export const KeyReply = z.strictObject(keyFields).openapi("Key");

export const CreatedKeyReply = z
  .strictObject({
    ...keyFields,
    key: z.string().openapi({ description: "The key itself. It is not stored and is never shown again." }),
  })
  .openapi("CreatedKey");

export const KeysReply = z.strictObject({ keys: z.array(KeyReply) }).openapi("Keys");

export const RevokedKeyReply = z.strictObject({ id: z.uuid(), revoked_at: TimeReply }).openapi("RevokedKey");

export function toKeyDraft(body: z.output<typeof CreateKeyBody>): KeyDraft {
  const { user_ids: userIds, ...grants } = body.grants;
  return { name: body.name, capabilities: body.capabilities, grants: { ...grants, userIds } };
}

export function presentKey(key: ApiKey): z.input<typeof KeyReply> {
  return {
    id: key.id,
    name: key.name,
    capabilities: [...key.capabilities],
    grants: presentGrants(key.grants),
    created_at: key.createdAt.toISOString(),
    revoked_at: key.revokedAt?.toISOString() ?? null,
  };
}

export function presentGrants(grants: Grants): z.output<typeof GrantsShape> {
  const { projects, workspaces, agents, userIds } = grants;
  return {
    ...(projects && { projects: [...projects] }),
    ...(workspaces && { workspaces: [...workspaces] }),
    ...(agents && { agents: [...agents] }),
    ...(userIds && { user_ids: [...userIds] }),
  };
}
