import { CreatedKeyReply, KeysReply, presentGrants, RevokedKeyReply } from "../routes/schemas/keys.js";
import { z } from "../routes/zod.js";
import type { KeyStore } from "./key-store.js";

const Refusal = z.object({ code: z.string(), detail: z.string() });

/** The keys of a running server, by its API; `apiKey` needs `admin` where that server asks for keys. */
export function keysOfServer(url: string, apiKey: string | undefined): KeyStore {
  const call = async <T extends z.ZodType>(reply: T, path: string, init: RequestInit = {}): Promise<z.output<T>> => {
    const headers = {
      "Content-Type": "application/json",
      ...(apiKey === undefined ? {} : { Authorization: `Bearer ${apiKey}` }),
    };
    const response = await fetch(`${url}${path}`, { ...init, headers });
    const body: unknown = await response.json();
    if (response.ok) return reply.parse(body);
    const { code, detail } = Refusal.parse(body);
    const help = code === "unauthenticated" ? "; set MEMGATE_API_KEY to a key of that server with admin" : "";
    throw new Error(`the server at ${url} answers ${code}: ${detail}${help}`);
  };
  return {
    create: async ({ name, capabilities, grants }) => {
      const body = JSON.stringify({ name, capabilities, grants: presentGrants(grants) });
      return await call(CreatedKeyReply, "/v1/keys", { method: "POST", body });
    },
    list: async () => await call(KeysReply, "/v1/keys"),
    revoke: async (id) => await call(RevokedKeyReply, `/v1/keys/${encodeURIComponent(id)}`, { method: "DELETE" }),
  };
}
