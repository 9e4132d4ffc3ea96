import { CAPABILITIES } from "../core/access.js";
import { defineRoute } from "./define-route.js";
import { GrantsShape, presentGrants } from "./schemas/keys.js";
import { z } from "./zod.js";

export const whoAmIRoute = defineRoute({
  method: "get",
  path: "/v1/whoami",
  summary: "Who the API key makes you",
  tag: "keys",
  capability: [],
  scope: "none",
  replies: { 200: "You." },
  reply: z
    .strictObject({
      actor: z.string().openapi({ description: "Id of the key, or `local` where the server asks for none." }),
      tenant: z.string(),
      capabilities: z.array(z.enum(CAPABILITIES)),
      grants: GrantsShape,
    })
    .openapi("WhoAmI"),
  errors: ["invalid_request", "database_unavailable"],
  async handle({ caller, services }) {
    const { actor, tenant, capabilities, grants } = await services.whoAmI(caller);
    return { body: { actor, tenant, capabilities: [...capabilities], grants: presentGrants(grants) } };
  },
});
