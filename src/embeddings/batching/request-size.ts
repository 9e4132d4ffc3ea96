import type { RequestSize } from "./provider.js";

/** Bytes of `""`, and of `"",""`. */
const ONE_EMPTY = 2;
const TWO_EMPTY = 5;

/**
 * Sizes of the JSON that `write` makes of texts: measured on its own output, so that model name, options and the form
 * of a single text count as they are sent. `write` must hold each text once, as `JSON.stringify` writes it, and one
 * byte between two of them.
 */
export function jsonRequestSize(write: (texts: readonly string[]) => string): RequestSize {
  const single = Buffer.byteLength(write([""])) - ONE_EMPTY;
  const list = Buffer.byteLength(write(["", ""])) - TWO_EMPTY;
  return {
    overhead: (count) => (count === 1 ? single : list + count - 1),
    text: (text) => Buffer.byteLength(JSON.stringify(text)),
  };
}
