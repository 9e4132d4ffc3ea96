import { NAME_MAX_BYTES } from "../../core/limits.js";
import type { ScopeRequest } from "../../services/index.js";
import { z } from "../zod.js";
import { text } from "./text.js";

/** The scope fields, flat in every request; spread into the request's own fields. */
export const scopeFields = {
  user_id: text(NAME_MAX_BYTES)
    .optional()
    .openapi({ description: "The user whose memories these are; or `workspace_id`." }),
  workspace_id: text(NAME_MAX_BYTES)
    .optional()
    .openapi({ description: "The workspace whose memories these are; or `user_id`." }),
  agent_id: text(NAME_MAX_BYTES).optional().openapi({
    description:
      "In a workspace the calling agent (required). With `user_id` the provenance of what is written, and a filter of what is read.",
  }),
  project: text(NAME_MAX_BYTES).optional().openapi({ description: "Absent means none, not any." }),
  mission: text(NAME_MAX_BYTES).optional().openapi({ description: "Absent means none, not any." }),
};

interface ScopeFields {
  readonly user_id?: string | undefined;
  readonly workspace_id?: string | undefined;
  readonly agent_id?: string | undefined;
  readonly project?: string | undefined;
  readonly mission?: string | undefined;
}

/** Exactly one of user and workspace, and the calling agent where it is a workspace. */
export function checkScope(value: ScopeFields, context: z.RefinementCtx): void {
  if ((value.user_id === undefined) === (value.workspace_id === undefined)) {
    context.addIssue({ code: "custom", path: ["user_id"], message: "give exactly one of user_id and workspace_id" });
  }
  if (value.workspace_id !== undefined && value.agent_id === undefined) {
    context.addIssue({
      code: "custom",
      path: ["agent_id"],
      message: "is required with workspace_id: it names the calling agent",
    });
  }
}

export function toScopeRequest(fields: ScopeFields): ScopeRequest {
  return {
    names: {
      project: fields.project ?? null,
      mission: fields.mission ?? null,
      userId: fields.user_id ?? null,
      workspaceId: fields.workspace_id ?? null,
    },
    agentId: fields.agent_id ?? null,
  };
}

export const ScopeReply = z.strictObject({
  project: z.string().nullable(),
  mission: z.string().nullable(),
  user_id: z.string().nullable(),
  workspace_id: z.string().nullable(),
  agent_id: z.string().nullable(),
});

export function presentScope(scope: ScopeRequest): z.output<typeof ScopeReply> {
  return {
    project: scope.names.project,
    mission: scope.names.mission,
    user_id: scope.names.userId,
    workspace_id: scope.names.workspaceId,
    agent_id: scope.agentId,
  };
}
