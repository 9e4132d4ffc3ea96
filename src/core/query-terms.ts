import { stem } from "./stem.js";
import type { TermKind } from "./term-hash.js";
import { analyse } from "./tokenise.js";

/**
 * The commonest English words, which name nothing: each is in about every second memory, so that looking them up took half
 * of a search's time. No more than these: a word that is rare in memories, as those that ask are, says something by being
 * absent, and keeps a memory that shares but a name with the query from passing for relevant.
 */
const FUNCTION_WORDS: ReadonlySet<string> = new Set(
  "a an the and or but of to in on at by for from with as is are was were be been am it its this that i you we".split(
    " ",
  ),
);

/** One name with a joiner, a letter and a digit in it: `zx-4471-q`, `e-4031`, but neither `user_id` nor `3.5`. */
const IDENTIFIER = /^(?=.*\p{L})(?=.*\p{N}).*[\p{L}\p{N}][-_.+][\p{L}\p{N}]/u;

/** The identifiers among a query's terms: whole, without their parts, and the same in both lexeme sets. */
export function queryIdentifiers(query: string): string[] {
  return [...analyse(query).exact.keys()].filter((term) => IDENTIFIER.test(term));
}

/**
 * The distinct terms of a query in a lexeme set. `exact` (`bm25_v1`) has all of them; `stemmed` (`bm25_en_v2`) has no
 * function words, unless the query is made of nothing else ("that is it").
 */
export function queryTerms(query: string, kind: TermKind): string[] {
  const terms = [...analyse(query).exact.keys()];
  if (kind === "exact") return terms;
  const rest = terms.filter((term) => !FUNCTION_WORDS.has(term));
  return [...new Set((rest.length > 0 ? rest : terms).map(stem))];
}
