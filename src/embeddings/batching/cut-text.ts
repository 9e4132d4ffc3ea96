/** No grapheme cluster in real use is longer than this many UTF-16 units (a family emoji with skin tones has 23). */
const LONGEST_GRAPHEME = 64;

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

export interface CutText {
  readonly text: string;
  readonly truncated: boolean;
}

/**
 * Cuts a text to at most `maxChars` UTF-16 units, at a grapheme border so that no character is torn; nothing is left
 * where not even the first one fits. A cluster of more than 64 units (stacked combining marks) may be torn, between
 * code points.
 */
export function cutText(text: string, maxChars: number): CutText {
  if (text.length <= maxChars) return { text, truncated: false };
  return { text: text.slice(0, graphemeBorder(text, maxChars)), truncated: true };
}

/** The last grapheme border at or before `end`. */
function graphemeBorder(text: string, end: number): number {
  // Intl.Segmenter copies its whole input for every segment, so it only ever sees the neighbourhood of the cut.
  const start = Math.max(0, end - LONGEST_GRAPHEME);
  const neighbourhood = text.slice(start, end + LONGEST_GRAPHEME);
  const border = graphemes.segment(neighbourhood).containing(end - start)?.index ?? 0;
  return border === 0 && start > 0 ? codePointBorder(text, end) : start + border;
}

function codePointBorder(text: string, end: number): number {
  const last = text.charCodeAt(end - 1);
  const isHighSurrogate = last >= 0xd800 && last <= 0xdbff;
  return isHighSurrogate ? end - 1 : end;
}
