// Plain expressions instead of Intl.Segmenter, which copies its whole input for every segment: 64 KiB of line breaks
// took 4 GB of heap. Every repetition is bounded or stands last, so that no input makes them quadratic.

/** The space behind a closing mark and its quotes or brackets, a CJK full stop, or line breaks. */
const SENTENCE_BORDER = /(?<=[.!?…]["'”’)\]]{0,3})\s+|[。！？｡]["”’」』）]{0,3}|[\r\n\u2028\u2029]+/gu;
const WORD_BORDER = /\s+/gu;
/** What the tokeniser takes for a word of its own, besides spaces: punctuation, ASCII symbols and ideographs. */
const UNIT_BORDER = /[\p{P}!-/:-@[-`{-~\p{Script=Han}]/gu;

/** UTF-16 units below which neighbouring words or characters stay together: counting each alone takes too long. */
const SMALLEST_RUN = 32;

/** Sentences with the spaces behind them; joined they are the text. */
export function splitSentences(text: string): string[] {
  return splitBehind(text, SENTENCE_BORDER, 1);
}

/** Words, or a few short ones, with the spaces behind them; joined they are the text. */
export function splitWords(text: string): string[] {
  return splitBehind(text, WORD_BORDER, SMALLEST_RUN);
}

/** Runs that end at a border of the tokeniser; joined they are the text. */
export function splitUnits(text: string): string[] {
  return splitBehind(text, UNIT_BORDER, SMALLEST_RUN);
}

/** Parts of at least `smallest` units, except the last, each ending with a border. */
function splitBehind(text: string, border: RegExp, smallest: number): string[] {
  const parts: string[] = [];
  let start = 0;
  for (const match of text.matchAll(border)) {
    const end = match.index + match[0].length;
    if (end - start < smallest) continue;
    parts.push(text.slice(start, end));
    start = end;
  }
  if (start < text.length) parts.push(text.slice(start));
  return parts;
}
