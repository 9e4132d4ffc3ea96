import { foldText } from "./fold-text.js";

/** Words keep their apostrophes and hyphens (`alice's`, `step-by-step`); the rest that matters ends a sentence. */
const WORD_OR_END = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*(?:['-][\p{L}\p{N}][\p{L}\p{N}\p{M}]*)*|[.!?;](?=\s|$)|[\n。！？]/gu;
const WORD_START = /^[\p{L}\p{N}]/u;
const UNSPACED_CHARACTER = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/gu;

/** Folded words of one sentence; never empty. */
export type Sentence = readonly string[];

/** The sentences of a query as folded words (see fold-text.ts); none if it has no letter and no digit. */
export function splitSentences(query: string): Sentence[] {
  const sentences: string[][] = [];
  let words: string[] = [];
  for (const [token] of foldText(query).matchAll(WORD_OR_END)) {
    if (WORD_START.test(token)) words.push(token);
    else if (words.length > 0) {
      sentences.push(words);
      words = [];
    }
  }
  if (words.length > 0) sentences.push(words);
  return sentences;
}

/** Length of a query in words; in scripts without spaces two characters count as a word. */
export function countWords(sentences: readonly Sentence[]): number {
  let count = 0;
  for (const word of sentences.flat()) {
    const unspaced = word.match(UNSPACED_CHARACTER)?.length ?? 0;
    count += Math.max(1, Math.ceil(unspaced / 2));
  }
  return count;
}
