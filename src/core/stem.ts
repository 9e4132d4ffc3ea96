import porter2 from "wink-porter2-stemmer";

/** Longer runs of letters are no English words; the stemmer's patterns take quadratic time on them. */
const LONGEST_WORD = 40;

const PLAIN_WORD = new RegExp(`^[a-z]{1,${String(LONGEST_WORD)}}$`, "u");

/**
 * The English Porter2 stem of a case-folded word of at most 40 letters a to z; any other term as it is.
 * Algorithm: https://snowballstem.org/algorithms/english/stemmer.html
 */
export function stem(term: string): string {
  return PLAIN_WORD.test(term) ? porter2(term) : term;
}
