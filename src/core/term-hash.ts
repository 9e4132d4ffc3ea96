import { createHash } from "node:crypto";

/** Which lexeme set a term belongs to: `exact` (`bm25_v1`) or `stemmed` (`bm25_en_v2`). */
export type TermKind = "exact" | "stemmed";

/**
 * The key of a term in the postings: the first 8 bytes, big-endian and two's complement, of
 * sha256(kind + U+0000 + term in UTF-8), so -2^63 to 2^63 - 1: a Postgres bigint. Terms may have any length. Stored
 * keys depend on it: it never changes within a tokeniser version. A lone surrogate hashes as U+FFFD.
 */
export function termHash(kind: TermKind, term: string): bigint {
  return createHash("sha256").update(`${kind}\0${term}`, "utf8").digest().readBigInt64BE(0);
}
