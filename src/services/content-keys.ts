import { normaliseContent } from "../core/normalise-content.js";
import type { Caller } from "./deps.js";
import type { TenantSecrets } from "./tenant-secrets.js";

/** One key for each content: equal where the contents are equal after normalisation, within one tenant. */
export async function contentKeys(
  deps: { readonly secrets: TenantSecrets },
  caller: Pick<Caller, "tenantId">,
  contents: readonly string[],
): Promise<string[]> {
  return await deps.secrets.hmac(caller.tenantId, "content", contents.map(normaliseContent));
}
