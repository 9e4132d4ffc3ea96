import { CAPABILITIES } from "../core/access.js";
import { hashApiKey, isApiKey } from "../core/api-key.js";
import { unauthenticated } from "../core/errors.js";
import { findKeyByHash } from "../db/queries/api-keys.js";
import { tenantName } from "../db/queries/tenants.js";
import type { Caller, ServiceDeps } from "./deps.js";

/** Who holds this key. Asks the database every time, so that a revoked key ends at once. Throws `unauthenticated`. */
export async function authenticate(deps: Pick<ServiceDeps, "db">, key: string): Promise<Caller> {
  const holder = isApiKey(key) ? await findKeyByHash(deps.db, hashApiKey(key)) : undefined;
  if (holder === undefined) throw unauthenticated();
  const { id, tenantId, capabilities, grants } = holder;
  return { tenantId, actor: id, capabilities: new Set(capabilities), grants };
}

/** Who acts where no key is asked for: it may do everything in the tenant. */
export function localCaller(tenantId: number): Caller {
  return { tenantId, actor: "local", capabilities: new Set(CAPABILITIES), grants: {} };
}

/** The caller, with its tenant's name. */
export async function whoAmI(
  deps: Pick<ServiceDeps, "db">,
  caller: Caller,
): Promise<Caller & { readonly tenant: string }> {
  return { ...caller, tenant: await tenantName(deps.db, caller.tenantId) };
}
