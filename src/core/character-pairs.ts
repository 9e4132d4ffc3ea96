/** A character: one code point with the marks on it. */
const CHARACTER = /\P{M}\p{M}*/gu;

/** The overlapping pairs of characters of a run, `東京都` → `東京`, `京都`; a character alone is itself. */
export function* characterPairs(run: string): Generator<string> {
  let previous: string | null = null;
  let alone = true;
  for (const [character] of run.matchAll(CHARACTER)) {
    if (previous !== null) {
      yield previous + character;
      alone = false;
    }
    previous = character;
  }
  if (alone && previous !== null) yield previous;
}
