import { splitSentences, splitUnits, splitWords } from "./split-text.js";

/** Tokens that one pass of the model takes, without the two special ones: it was tuned for 256. */
export const WINDOW_TOKENS = 254;

/** Tokens of a text without special tokens. */
export type CountTokens = (text: string) => number;

interface Piece {
  readonly text: string;
  readonly tokens: number;
}

/** From the border that reads best to the one that always works: no word of the tokeniser has more than 100 tokens. */
const SPLITTERS = [splitSentences, splitWords, splitUnits];

/**
 * Splits a text into windows of at most `WINDOW_TOKENS` tokens that together are the text: at sentence borders where
 * sentences fit, else between words, else between characters. A text that fits is its only window.
 */
export function splitIntoWindows(text: string, count: CountTokens): string[] {
  const whole = { text, tokens: count(text) };
  return whole.tokens <= WINDOW_TOKENS ? [text] : pack(finePieces(whole, count, SPLITTERS));
}

/** Pieces that each fit a window, cut no finer than needed. */
function finePieces(piece: Piece, count: CountTokens, splitters: typeof SPLITTERS): Piece[] {
  const [split, ...finer] = splitters;
  if (piece.tokens <= WINDOW_TOKENS || split === undefined) return [piece];
  return split(piece.text).flatMap((text) => finePieces({ text, tokens: count(text) }, count, finer));
}

function pack(pieces: readonly Piece[]): string[] {
  const windows: Piece[] = [];
  for (const piece of pieces) {
    const last = windows.at(-1);
    if (last !== undefined && last.tokens + piece.tokens <= WINDOW_TOKENS) {
      windows[windows.length - 1] = { text: last.text + piece.text, tokens: last.tokens + piece.tokens };
    } else {
      windows.push(piece);
    }
  }
  // A window without tokens (blank lines that found no room) would add the vector of nothing.
  return windows.filter((window) => window.tokens > 0).map((window) => window.text);
}
