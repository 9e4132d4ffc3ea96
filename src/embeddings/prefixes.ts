import { createHash } from "node:crypto";
import type { Purpose } from "./batching/provider.js";

export type Prefixes = Readonly<Record<Purpose, string>>;

const NONE: Prefixes = { document: "", query: "" };
const SEARCH_INSTRUCTION = "Represent this sentence for searching relevant passages: ";

/** Setting a prefix to this word means none, also where the model is known to have one. */
const NO_PREFIX = "none";

/** Models that were trained with a prefix, by the start of their name; `docs/embedding.md` has the same table. */
export const KNOWN_PREFIXES: Readonly<Record<string, Prefixes>> = {
  "nomic-embed-text": { document: "search_document: ", query: "search_query: " },
  "multilingual-e5": { document: "passage: ", query: "query: " },
  "e5-": { document: "passage: ", query: "query: " },
  embeddinggemma: { document: "title: none | text: ", query: "task: search result | query: " },
  "snowflake-arctic-embed2": { document: "", query: "query: " },
  "snowflake-arctic-embed": { document: "", query: SEARCH_INSTRUCTION },
  "mxbai-embed": { document: "", query: SEARCH_INSTRUCTION },
};

/** Models that take an instruction instead, although their names begin like one of those. */
const INSTRUCTED = "instruct";

/** What is written before documents and queries of a model, where the settings do not say. */
export function prefixesOf(model: string, configured: Partial<Record<Purpose, string | undefined>>): Prefixes {
  const name = (model.split("/").at(-1) ?? model).toLowerCase();
  const found = Object.entries(KNOWN_PREFIXES).find(([start]) => name.startsWith(start))?.[1];
  const known = found === undefined || name.includes(INSTRUCTED) ? NONE : found;
  return {
    document: chosen(configured.document, known.document),
    query: chosen(configured.query, known.query),
  };
}

function chosen(configured: string | undefined, known: string): string {
  if (configured === undefined) return known;
  return configured === NO_PREFIX ? "" : configured;
}

/**
 * How a remote text becomes a vector, in one word: trimmed, its head of `maxChars` UTF-16 units, and the prefixes by the
 * first 8 hex digits of the SHA-256 of their JSON. Part of the space's identity.
 */
export function recipeOf(maxChars: number, { document, query }: Prefixes): string {
  const head = `head_${String(maxChars)}_v2`;
  if (document === "" && query === "") return head;
  const digest = createHash("sha256")
    .update(JSON.stringify([document, query]))
    .digest("hex");
  return `${head}_prefix_${digest.slice(0, 8)}`;
}
