import { stem } from "./stem.js";
import type { TermKind } from "./term-hash.js";
import { analyse } from "./tokenise.js";

/**
 * The commonest English words that name nothing. In a query they find what nobody looks for, and each is in up to every
 * second memory: looking them up took half of a search's time. The words that ask (who, when, why) are rare in memories.
 */
const FUNCTION_WORDS: ReadonlySet<string> = new Set([
  ..."a an the this that these those and or but if so than then there of to in on at by for from with about into".split(
    " ",
  ),
  ..."i me my we us our you your he him his she her it its they them their".split(" "),
  ..."am is are was were be been being do does did have has had will would can could not no".split(" "),
]);

/** One name with a joiner, a letter and a digit in it: `zx-4471-q`, `e-4031`, but neither `user_id` nor `3.5`. */
const IDENTIFIER = /^(?=.*\p{L})(?=.*\p{N}).*[\p{L}\p{N}][-_.+][\p{L}\p{N}]/u;

/** The identifiers among a query's terms: whole, without their parts, and the same in both lexeme sets. */
export function queryIdentifiers(query: string): string[] {
  return [...analyse(query).exact.keys()].filter((term) => IDENTIFIER.test(term));
}

/**
 * The distinct terms of a query in a lexeme set. `exact` (`bm25_v1`) has all of them; `stemmed` (`bm25_en_v2`) has no
 * function words, unless the query is made of nothing else ("to be or not to be").
 */
export function queryTerms(query: string, kind: TermKind): string[] {
  const terms = [...analyse(query).exact.keys()];
  if (kind === "exact") return terms;
  const rest = terms.filter((term) => !FUNCTION_WORDS.has(term));
  return [...new Set((rest.length > 0 ? rest : terms).map(stem))];
}
