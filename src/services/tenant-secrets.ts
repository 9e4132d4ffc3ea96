import { createHmac } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Runnable } from "../db/database.js";
import { readTenantSecret } from "../db/queries/tenants.js";

/** HMACs under the tenants' own random keys: a fingerprint says nothing to who lacks the key. */
export class TenantSecrets {
  private readonly known = new LRUCache<number, Uint8Array>({ max: 10_000 });

  constructor(private readonly db: Runnable) {}

  /** Hex of HMAC-SHA256 of `text`; `purpose` keeps the uses of one key apart. */
  async hmac(
    tenantId: number,
    purpose: "command" | "content" | "idempotency_key",
    texts: readonly string[],
  ): Promise<string[]> {
    const secret = this.known.get(tenantId) ?? (await readTenantSecret(this.db, tenantId));
    this.known.set(tenantId, secret);
    return texts.map((text) => createHmac("sha256", secret).update(`${purpose}\u0000${text}`).digest("hex"));
  }
}
