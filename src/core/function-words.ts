/**
 * The commonest words of English text that carry no subject. In a query they find nothing that one would look for, and
 * each is in about every second memory: of nine words of a question these three took half of the time.
 */
const FUNCTION_WORDS: ReadonlySet<string> = new Set(
  "a an the and or but of to in on at by for from with as is are was were be been am it its this that i you we".split(
    " ",
  ),
);

/** The terms of a query without function words, or all of them where there are no others ("to be or not to be"). */
export function withoutFunctionWords(terms: readonly string[]): readonly string[] {
  const rest = terms.filter((term) => !FUNCTION_WORDS.has(term));
  return rest.length > 0 ? rest : terms;
}
