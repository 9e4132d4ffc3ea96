import { splitIntoWindows } from "./windows.js";
import { toReadableText, type WordPieceTokens } from "./tokens.js";

/**
 * Windows of one text that are embedded; what is beyond them is cut and flagged. 32 windows are 8,128 tokens or about
 * 32 KiB of English, and take 0.6 to 2 s (onnxruntime, 2 cores) or 8 to 10 s (WASM) of the worker.
 */
export const MAX_WINDOWS = 32;

export interface Window {
  /** What the WASM runtime reads, with its own copy of the tokeniser. */
  readonly text: string;
  /** What onnxruntime reads: the same text as token ids, the two special ones included. */
  readonly ids: readonly number[];
}

export interface TextPlan {
  /** At least one window, in reading order. */
  readonly windows: readonly Window[];
  /** Whether some of the text is in none of the windows, or in a word too long for the model to read. */
  readonly truncated: boolean;
}

/** Decides what the model will read of a text. */
export function planText(text: string, tokens: WordPieceTokens): TextPlan {
  const all = splitIntoWindows(toReadableText(text), (part) => tokens.count(part));
  const windows = all.slice(0, MAX_WINDOWS).map((window) => ({ text: window, ids: tokens.encode(window) }));
  const truncated =
    all.length > MAX_WINDOWS || windows.some((window) => tokens.hasUnreadableWord(window.text, window.ids));
  return { windows, truncated };
}
