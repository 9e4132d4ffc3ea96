/** NFC takes quadratic time on long runs of combining marks; no script needs more than 30 on one character (UAX #15). */
const HOSTILE_MARKS = /\p{M}{31}/u;

/** What counts as the same content when duplicates are looked for: NFC, trimmed, every run of white space one space. */
export function normaliseContent(content: string): string {
  const composed = HOSTILE_MARKS.test(content) ? content : content.normalize("NFC");
  return composed.trim().replace(/\s+/gu, " ");
}
