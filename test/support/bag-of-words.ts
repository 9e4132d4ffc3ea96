/**
 * A deterministic stand-in for an embedding model: every word adds 1 to the place that its hash names, then the vector
 * is scaled to length 1. Texts that share words are near each other; a text without words is a word itself.
 */
export function bagOfWords(text: string, dimensions: number): number[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [text];
  const counts = new Array<number>(dimensions).fill(0);
  for (const word of words) {
    const place = hash(word) % dimensions;
    counts[place] = (counts[place] ?? 0) + 1;
  }
  const norm = Math.hypot(...counts);
  return counts.map((count) => count / norm);
}

/** FNV-1a, 32 bits, over UTF-16 units. */
function hash(word: string): number {
  let state = 0x811c9dc5;
  for (let index = 0; index < word.length; index++) {
    state = Math.imul(state ^ word.charCodeAt(index), 0x01000193);
  }
  return state >>> 0;
}
