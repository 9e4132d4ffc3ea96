import { defineRoute } from "./define-route.js";
import { IdParams } from "./schemas/ids.js";
import { CreatedKeyReply, CreateKeyBody, KeysReply, presentKey, RevokedKeyReply, toKeyDraft } from "./schemas/keys.js";

export const createKeyRoute = defineRoute({
  method: "post",
  path: "/v1/keys",
  summary: "Make an API key",
  description: "The reply is the only place where the key is ever shown.",
  tag: "keys",
  capability: "admin",
  scope: "none",
  body: CreateKeyBody,
  replies: { 201: "Made." },
  reply: CreatedKeyReply,
  errors: ["invalid_request", "invalid_json", "database_unavailable"],
  async handle({ body, caller, services }) {
    const created = await services.createKey(caller, toKeyDraft(body));
    return { status: 201, body: { ...presentKey(created), key: created.key } };
  },
});

export const listKeysRoute = defineRoute({
  method: "get",
  path: "/v1/keys",
  summary: "List the tenant's API keys",
  description: "Revoked ones included, oldest first; never the keys themselves.",
  tag: "keys",
  capability: "admin",
  scope: "none",
  replies: { 200: "The keys." },
  reply: KeysReply,
  errors: ["invalid_request", "database_unavailable"],
  async handle({ caller, services }) {
    const keys = await services.listKeys(caller);
    return { body: { keys: keys.map(presentKey) } };
  },
});

export const revokeKeyRoute = defineRoute({
  method: "delete",
  path: "/v1/keys/{id}",
  summary: "Revoke an API key",
  description: "It ends with the next request. A key that is revoked already keeps its time; a key may revoke itself.",
  tag: "keys",
  capability: "admin",
  scope: "none",
  params: IdParams,
  replies: { 200: "Revoked." },
  reply: RevokedKeyReply,
  errors: ["invalid_request", "key_not_found", "database_unavailable"],
  async handle({ params, caller, services }) {
    const { id, revokedAt } = await services.revokeKey(caller, params.id);
    return { body: { id, revoked_at: revokedAt.toISOString() } };
  },
});
