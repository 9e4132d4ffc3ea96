import type { Runnable } from "../database.js";
import { sql } from "../sql.js";

/** Names one idempotent command within its scope. */
export interface ReceiptName {
  readonly actor: string;
  /** Method and route: `POST /v1/memories`. */
  readonly operation: string;
  /** HMAC of the Idempotency-Key, in hex. */
  readonly key: string;
}

export interface Receipt {
  /** HMAC of the command, in hex; `""` once a memory that the result names was erased. */
  readonly fingerprint: string;
  /** Whatever can be JSON. */
  readonly result: unknown;
}

/** The receipt of a command written at `since` or later; null is "for ever". */
export async function findReceipt(
  db: Runnable,
  scopeId: number,
  wanted: ReceiptName & { readonly since: Date | null },
): Promise<Receipt | undefined> {
  const [receipt] = await db.run<Receipt>(sql`
    select fingerprint, result
    from receipts
    where scope_id = ${scopeId}::bigint
      and actor = ${wanted.actor}::text
      and operation = ${wanted.operation}::text
      and key = ${wanted.key}::text
      and (${wanted.since}::timestamptz is null or created_at >= ${wanted.since}::timestamptz)
  `);
  return receipt;
}

/** Keeps what a command did; an outlived receipt of the same key gives way. */
export async function insertReceipt(
  tx: Runnable,
  scopeId: number,
  receipt: ReceiptName & Receipt & { readonly at: Date },
): Promise<void> {
  await tx.run(sql`
    insert into receipts (scope_id, actor, operation, key, fingerprint, result, created_at)
    values (${scopeId}::bigint, ${receipt.actor}::text, ${receipt.operation}::text, ${receipt.key}::text,
            ${receipt.fingerprint}::text, ${JSON.stringify(receipt.result)}::jsonb, ${receipt.at}::timestamptz)
    on conflict (scope_id, actor, operation, key) do update
      set fingerprint = excluded.fingerprint,
          result = excluded.result,
          created_at = excluded.created_at
  `);
}

/** Drops the receipts of a scope that were written before `before`. */
export async function dropReceipts(db: Runnable, scopeId: number, before: Date): Promise<void> {
  await db.run(sql`
    delete from receipts
    where scope_id = ${scopeId}::bigint
      and created_at < ${before}::timestamptz
  `);
}
