import type { Sentence } from "./query-sentences.js";

/** Index just after the first place where the phrase's words follow each other, from `start` on; -1 if nowhere. */
export function afterPhrase(sentence: Sentence, phrase: string, start = 0): number {
  const words = phrase.split(" ");
  for (let at = start; at + words.length <= sentence.length; at += 1) {
    if (words.every((word, offset) => sentence[at + offset] === word)) return at + words.length;
  }
  return -1;
}

/** Whether one of the phrases occurs, as whole words. */
export function hasPhrase(sentence: Sentence, phrases: readonly string[]): boolean {
  return phrases.some((phrase) => afterPhrase(sentence, phrase) >= 0);
}

/** Whether one of the phrases, of at most 5 words, ends the sentence. */
export function endsWithPhrase(sentence: Sentence, phrases: readonly string[]): boolean {
  const end = ` ${sentence.slice(-5).join(" ")}`;
  return phrases.some((phrase) => end.endsWith(` ${phrase}`));
}

/** Whether one of the phrases, of at most 5 words, starts the sentence. */
export function startsWithPhrase(sentence: Sentence, phrases: readonly string[]): boolean {
  const start = `${sentence.slice(0, 5).join(" ")} `;
  return phrases.some((phrase) => start.startsWith(`${phrase} `));
}
