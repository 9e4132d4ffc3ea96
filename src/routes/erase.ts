import { NAME_MAX_BYTES } from "../core/limits.js";
import { DERIVED_MODES, type Erased, type EraseTarget } from "../services/index.js";
import { defineRoute } from "./define-route.js";
import { IDEMPOTENCY_KEY, onceOf, replayHeader } from "./once.js";
import { checkScope, scopeFields, toScopeRequest } from "./schemas/scope.js";
import { text } from "./schemas/text.js";
import { z } from "./zod.js";

const Target = z
  .strictObject({
    memory_id: z.string().max(64).optional().openapi({ format: "uuid" }),
    user: z.literal(true).optional().openapi({
      description: "All that `user_id` has in the tenant, in any project and mission; leave those out.",
    }),
    source_site: text(NAME_MAX_BYTES)
      .optional()
      .openapi({ description: "Every memory that came from there by any of its revisions." }),
    session_id: text(NAME_MAX_BYTES)
      .optional()
      .openapi({ description: "Every memory that was of this session in any of its revisions." }),
    scope: z.literal(true).optional().openapi({ description: "All of the scope." }),
  })
  .refine((target) => Object.values(target).filter((value) => value !== undefined).length === 1, {
    error: "give exactly one of memory_id, user, source_site, session_id and scope",
  })
  .openapi("EraseTarget");

const EraseBody = z
  .strictObject({
    ...scopeFields,
    target: Target,
    all_scopes: z.literal(true).optional().openapi({
      description:
        "With `source_site` and without scope fields: in every scope of the tenant that the key may name, all or none.",
    }),
    derived: z.enum(DERIVED_MODES).default("erase").openapi({
      description:
        "erase: also all that was ever derived from it, at any distance. keep: it stays, but is found by nothing.",
    }),
    dry_run: z.boolean().default(false).openapi({ description: "true: only count what would go." }),
    expected_digest: z
      .string()
      .max(64)
      .optional()
      .openapi({ description: "`digest` of a preview: refuse (409) when other memories would go by now." }),
  })
  .superRefine((body, context) => {
    const issue = (path: string, message: string): void => {
      context.addIssue({ code: "custom", path: [path], message });
    };
    const named = Object.keys(scopeFields) as (keyof typeof scopeFields)[];
    if (body.all_scopes === undefined) checkScope(body, context);
    else if (body.target.source_site === undefined) issue("all_scopes", "is for source_site");
    else if (named.some((field) => body[field] !== undefined))
      issue("all_scopes", "is not for one scope: leave its fields out");
    if (body.target.user === undefined) return;
    if (body.user_id === undefined) issue("user_id", "is required: it names the user");
    for (const field of ["project", "mission"] as const) {
      if (body[field] !== undefined) issue(field, "a user is erased in every project and mission: leave it out");
    }
  })
  .openapi("Erase");

const Count = z.int().min(0);

const EraseReply = z
  .strictObject({
    dry_run: z.boolean(),
    digest: z.string().openapi({ description: "SHA-256 over the memories that go, with their revisions, in hex." }),
    scopes: Count.openapi({ description: "Scopes in which something goes." }),
    counts: z.strictObject({
      memories: Count.openapi({ description: "Deleted ones included; of each stays the id, a revision and times." }),
      revisions: Count,
      bindings: Count.openapi({ description: "Vectors." }),
      candidates: Count,
      tags: Count,
      grants: Count,
      edges: Count.openapi({ description: "From what goes to its sources." }),
      postings: Count,
      past_postings: Count.openapi({ description: "Contents, superseded or deleted, whose words were kept." }),
      receipts: Count.openapi({ description: "Of commands that wrote what goes: blanked, so that they answer 410." }),
    }),
  })
  .openapi("Erased");

export const eraseRoute = defineRoute({
  method: "post",
  path: "/v1/erase",
  summary: "Erase memories for good",
  description:
    "Removes all content, metadata, names, vectors and postings of memories, deleted ones included, from every table in one transaction. " +
    "With `user_id` an `agent_id` narrows it to what that agent wrote, `memory_id` apart; in a workspace it reaches every agent's memories and needs a key that is tied to no agent, `memory_id` apart.",
  tag: "data",
  capability: "memory_erase",
  scope: "body",
  isAboutAllScopes: (body) =>
    typeof body === "object" && body !== null && "all_scopes" in body && body.all_scopes === true,
  body: EraseBody,
  headers: IDEMPOTENCY_KEY,
  replies: { 200: "What went, or would go." },
  reply: EraseReply,
  errors: [
    "invalid_request",
    "invalid_json",
    "not_found",
    "preview_changed",
    "derivation_too_wide",
    "idempotency_conflict",
    "database_unavailable",
  ],
  async handle({ body, headers, caller, services }) {
    const { result, replayed } = await services.eraseMemories(caller, {
      scope: body.all_scopes === true ? undefined : toScopeRequest(body),
      target: toTarget(body.target),
      derived: body.derived,
      dryRun: body.dry_run,
      expectedDigest: body.expected_digest,
      once: onceOf(headers, "POST /v1/erase", { body }),
    });
    return { headers: replayHeader(replayed), body: present(result, body.dry_run) };
  },
});

function toTarget(target: z.output<typeof Target>): EraseTarget {
  if (target.memory_id !== undefined) return { by: "memory", id: target.memory_id };
  if (target.source_site !== undefined) return { by: "source_site", sourceSite: target.source_site };
  if (target.session_id !== undefined) return { by: "session", sessionId: target.session_id };
  return { by: target.user === true ? "user" : "scope" };
}

/** Field by field: a result that a receipt kept comes back with its keys in another order. */
function present({ digest, scopes, counts }: Erased, dryRun: boolean): z.output<typeof EraseReply> {
  const { pastPostings: past_postings, ...others } = counts;
  const { memories, revisions, bindings, candidates, tags, grants, edges, postings, receipts } = others;
  return {
    dry_run: dryRun,
    digest,
    scopes,
    counts: { memories, revisions, bindings, candidates, tags, grants, edges, postings, past_postings, receipts },
  };
}
