/** Joiners between things that have a name themselves: `user@example.com`, `src/core`, `12:30`. */
const BETWEEN_NAMES = /[@:/&,]/u;
/** Joiners inside one name: `ZX-4471-Q`, `user_id`, `example.com`, `a+b`. */
const INSIDE_NAMES = /[-_.+]/u;
const ANY_JOINER = /[-_.+@:/&,]/u;

/** English contractions, which are one term and have no parts: `don't`, `we'll`. */
const CONTRACTION = /^[a-z]+(?:'(?:t|re|ve|ll|d|m))+$/u;

/**
 * The terms of letters and digits with joiners inside. `a.b@example.com`: the whole, the names in it that have parts
 * (`a.b`, `example.com`), and the parts (`a`, `b`, `example`, `com`). A possessive 's is no part of a term.
 */
export function* wordTerms(word: string): Generator<string> {
  const whole = withoutPossessive(word);
  if (!ANY_JOINER.test(whole)) {
    yield* simpleTerms(whole);
    return;
  }
  yield whole;
  const names = whole.split(BETWEEN_NAMES).filter((name) => name !== "");
  for (const name of names) {
    const parts = name.split(INSIDE_NAMES).filter((part) => part !== "");
    if (names.length > 1 && parts.length > 1) yield withoutPossessive(name);
    for (const part of parts) yield* simpleTerms(withoutPossessive(part));
  }
}

/** `bob's` → `bob`. */
export function withoutPossessive(word: string): string {
  return word.length > 2 && word.endsWith("'s") ? word.slice(0, -2) : word;
}

/** A word without joiners; with apostrophes, also in one piece and in its parts: `o'brien` → `obrien`, `o`, `brien`. */
function* simpleTerms(word: string): Generator<string> {
  const parts = word.split("'").filter((part) => part !== "");
  if (parts.length <= 1 || CONTRACTION.test(word)) {
    yield word;
    return;
  }
  yield parts.join("");
  yield* parts;
}
