import { cutText } from "./cut-text.js";
import type { EmbeddingRefusal } from "./embedding-error.js";
import type { RequestSize } from "./provider.js";

export interface InputRules {
  readonly prefix: string;
  /** UTF-16 units of the trimmed text, the prefix not counted; undefined: as long as it is. */
  readonly maxChars: number | undefined;
  readonly maxRequestBytes: number;
  readonly size: RequestSize;
}

/** What is sent for one input, or why nothing is. */
export interface PreparedInput {
  /** Prefix and text; empty when refused. */
  readonly text: string;
  /** Bytes of the text in a request. */
  readonly bytes: number;
  readonly truncated: boolean;
  readonly refusal: EmbeddingRefusal | undefined;
}

/**
 * Trims a text, cuts it at a grapheme border and writes the prefix before it. Refused is what is blank before or after
 * the cut, and what does not fit into a request of its own. A lone surrogate becomes U+FFFD.
 */
export function prepareInput(raw: string, rules: InputRules): PreparedInput {
  const trimmed = raw.toWellFormed().trim();
  if (trimmed === "") return refused({ reason: "blank", detail: "is blank" });
  const { text, truncated } = cutText(trimmed, rules.maxChars ?? Number.POSITIVE_INFINITY);
  if (text.trim() === "") return refused({ reason: "blank", detail: "is blank once it is cut" });
  const whole = rules.prefix + text;
  const bytes = rules.size.text(whole);
  const needed = rules.size.overhead(1) + bytes;
  if (needed <= rules.maxRequestBytes) return { text: whole, bytes, truncated, refusal: undefined };
  return refused({
    reason: "too_large",
    detail: `needs ${String(needed)} bytes in a request that may have ${String(rules.maxRequestBytes)}`,
  });
}

function refused(refusal: EmbeddingRefusal): PreparedInput {
  return { text: "", bytes: 0, truncated: false, refusal };
}
