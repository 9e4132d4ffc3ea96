import type { Runnable } from "../db/database.js";
import type { PostingRow } from "../db/queries/postings.js";
import { lackingPostings, readIndexedMemories, type IndexedMemory } from "../db/queries/verify-postings.js";
import type { Disagreement } from "../db/queries/verify-scope.js";
import { contentKeys } from "./content-keys.js";
import { indexContent } from "./index-content.js";
import type { TenantSecrets } from "./tenant-secrets.js";

/** Contents that are in memory at a time, of at most 64 KiB each. */
const CONTENTS = 100;

/** Postings that are compared in one statement, give or take those of one memory. */
const POSTINGS = 20_000;

/** Whose keys the contents have. */
export interface Tenant {
  readonly tenantId: number;
  readonly secrets: TenantSecrets;
}

/** What only the program can compute from a live memory's content: lexemes and the key that duplicates share. */
export async function* verifyContents(tx: Runnable, scopeId: number, tenant: Tenant): AsyncGenerator<Disagreement> {
  for (let after = 0; ;) {
    const page = await readIndexedMemories(tx, scopeId, { after, limit: CONTENTS });
    yield* verifyKeys(page, tenant);
    yield* verifyIndex(tx, scopeId, page);
    const end = page.at(-1);
    if (end === undefined) return;
    after = end.memoryNo;
  }
}

async function* verifyKeys(page: readonly IndexedMemory[], tenant: Tenant): AsyncGenerator<Disagreement> {
  const contents = page.map((memory) => memory.content);
  const keys = await contentKeys(tenant, tenant, contents);
  for (const [index, { id, contentKey }] of page.entries()) {
    // Null is that of a memory older than the keys.
    if (contentKey === null || contentKey === keys[index]) continue;
    yield { check: "content_key", memoryId: id, detail: "the key for finding duplicates differs from the content" };
  }
}

async function* verifyIndex(
  tx: Runnable,
  scopeId: number,
  page: readonly IndexedMemory[],
): AsyncGenerator<Disagreement> {
  const idByNo = new Map(page.map(({ memoryNo, id }) => [memoryNo, id]));
  let rows: PostingRow[] = [];
  let terms = 0;
  for (const { id, memoryNo, content, exactLength, stemmedLength } of page) {
    const { facts, postings } = indexContent(content);
    if (facts.exactLength !== exactLength || facts.stemmedLength !== stemmedLength) {
      yield { check: "revision", memoryId: id, detail: "the lengths differ from the content" };
    }
    rows.push(...postings.map((each) => ({ memoryNo, ...each })));
    terms += postings.reduce((sum, each) => sum + each.terms.length, 0);
    if (terms < POSTINGS && memoryNo !== page.at(-1)?.memoryNo) continue;
    for (const lacking of await lackingPostings(tx, scopeId, rows)) {
      yield {
        check: "posting",
        memoryId: idByNo.get(lacking) ?? null,
        detail: "it lacks postings that its content has",
      };
    }
    rows = [];
    terms = 0;
  }
}
