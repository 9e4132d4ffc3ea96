import { randomBytes } from "node:crypto";
import { uuidv7 } from "uuidv7";
import { CAPABILITIES, type Capability, type Grants } from "../core/access.js";
import { hashApiKey, toApiKey } from "../core/api-key.js";
import { keyNotFound } from "../core/errors.js";
import {
  insertFirstKey,
  insertKey,
  listKeys as list,
  revokeKey as revoke,
  type KeyRow,
  type NewKeyRow,
} from "../db/queries/api-keys.js";
import type { Caller, ServiceDeps } from "./deps.js";
import { usableId } from "./memory-ids.js";

export type KeyDeps = Pick<ServiceDeps, "db" | "clock">;

export type ApiKey = KeyRow;

export interface KeyDraft {
  readonly name: string;
  readonly capabilities: readonly Capability[];
  readonly grants: Grants;
}

/** A key just made: the only time that `key` itself is known. */
export type CreatedKey = ApiKey & { readonly key: string };

/** Makes a key of the caller's tenant, with any capability and any grants: `admin` is all of its tenant. */
export async function createKey(deps: KeyDeps, caller: Caller, draft: KeyDraft): Promise<CreatedKey> {
  const { key, row } = newKey(deps, caller.tenantId, draft);
  await insertKey(deps.db, row);
  return present(key, row);
}

/**
 * Makes the first key, which can do everything, unless this database ever had a key (one that was revoked counts: who
 * revokes them all does not want another at the next start). One only, however many processes ask at once.
 */
export async function createFirstKey(deps: KeyDeps, tenantId: number): Promise<CreatedKey | undefined> {
  const { key, row } = newKey(deps, tenantId, { name: "first key", capabilities: CAPABILITIES, grants: {} });
  const made = await deps.db.transaction(async (tx) => await insertFirstKey(tx, row));
  return made ? present(key, row) : undefined;
}

/** Every key of the caller's tenant, revoked ones included, in the order in which they were made. */
export async function listKeys(deps: KeyDeps, caller: Caller): Promise<ApiKey[]> {
  return await list(deps.db, caller.tenantId);
}

/** Revokes a key from the next request on; one that is revoked keeps its time. Throws `key_not_found`. */
export async function revokeKey(
  deps: KeyDeps,
  caller: Caller,
  id: string,
): Promise<{ readonly id: string; readonly revokedAt: Date }> {
  const usable = usableId(id);
  const at = deps.clock();
  const revokedAt = usable === undefined ? undefined : await revoke(deps.db, caller.tenantId, { id: usable, at });
  if (usable === undefined || revokedAt === undefined) throw keyNotFound();
  return { id: usable, revokedAt };
}

function newKey(deps: KeyDeps, tenantId: number, draft: KeyDraft): { key: string; row: NewKeyRow } {
  const key = toApiKey(randomBytes(32));
  const capabilities = CAPABILITIES.filter((capability) => draft.capabilities.includes(capability));
  const row = { ...draft, capabilities, tenantId, id: uuidv7(), hash: hashApiKey(key), createdAt: deps.clock() };
  return { key, row };
}

function present(key: string, row: NewKeyRow): CreatedKey {
  const { id, name, capabilities, grants, createdAt } = row;
  return { id, name, capabilities, grants, createdAt, revokedAt: null, key };
}
