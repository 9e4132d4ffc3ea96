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

const LETTER_AND_DIGIT = /(?=.*\p{L})(?=.*\p{N})/u;
const JOINER = /[\p{L}\p{N}][-_.+]+[\p{L}\p{N}]/u;
/** `covid-19`, `24-hour`, `top-10`: a word with a small number, which names no thing of its own. */
const WORD_AND_NUMBER = /^(?:\p{N}{1,2}[-_.+]\p{L}{3,}|\p{L}{3,}[-_.+]\p{N}{1,2})$/u;
const LONG_NUMBER = /^\p{N}{6,}$/u;
const DIGIT = /\p{N}/gu;

/** `zx-4471-q`, `kb5034441`, `88412907`, `49-171-5550199`; neither `user_id` nor `3.5`, `20th` or `2026-03-01`. */
function isIdentifier(term: string): boolean {
  if (WORD_AND_NUMBER.test(term)) return false;
  if (LETTER_AND_DIGIT.test(term)) return JOINER.test(term) || term.length >= 6;
  return LONG_NUMBER.test(term) || (term.match(DIGIT)?.length ?? 0) >= 9;
}

/** The identifiers among a query's terms: whole, without their parts, and the same in both lexeme sets. */
export function queryIdentifiers(query: string): string[] {
  const found = [...analyse(query).exact.keys()].filter(isIdentifier);
  return found.filter((term) => !found.some((other) => other !== term && other.includes(term)));
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
