/** Scripts that are written without spaces between words, with their long-vowel signs. */
const UNSPACED_SCRIPTS =
  "\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}\\p{sc=Hang}\\p{sc=Thai}\\p{sc=Laoo}\\p{sc=Khmr}\\p{sc=Mymr}\\u30FC\\uFF70";

const UNSPACED = `[[\\p{L}\\p{N}]&&[${UNSPACED_SCRIPTS}]]`;
const SPACED = `[[\\p{L}\\p{N}]--[${UNSPACED_SCRIPTS}]]`;

const UNSPACED_RUN = `${UNSPACED}[${UNSPACED}\\p{M}]*`;
const SPACED_RUN = `${SPACED}[${SPACED}\\p{M}]*`;

/** What holds the parts of an identifier together, one at a time; a comma between digits only. */
const JOINER = "(?:[\\-_.@:\\/&+']|(?<=\\p{Nd}),(?=\\p{Nd}))(?!https?:\\/\\/)";
const WORD = `${SPACED_RUN}(?:${JOINER}${SPACED_RUN})*`;
const URL = `[a-z][a-z0-9+.\\-]{0,31}:\\/\\/[^\\s<>"\\{\\}\\|\\\\\\^\`${UNSPACED_SCRIPTS}]+`;

/*
 * Linear time: neighbouring parts of a pattern never match the same character, and the length of a scheme is bounded.
 */
const CHUNK = new RegExp(`(?<url>${URL})|(?<unspaced>${UNSPACED_RUN})|${WORD}`, "gv");
const CHUNK_OF_URL = new RegExp(`(?<unspaced>${UNSPACED_RUN})|${WORD}`, "gv");

const NO_WORD_CHARACTER = /[^\p{L}\p{N}\p{M}]$/u;

/** `word`: letters and digits, perhaps with joiners inside; `unspaced`: a run of the scripts without spaces. */
export interface Chunk {
  readonly kind: "url" | "unspaced" | "word";
  readonly text: string;
}

/** The chunks of a folded text (see fold-text.ts), in order; whatever stands between them is part of no word. */
export function* splitChunks(folded: string): Generator<Chunk> {
  for (const match of folded.matchAll(CHUNK)) {
    const url = match.groups?.url;
    if (url === undefined) yield toChunk(match);
    else yield trimUrl(url);
  }
}

/** The chunks inside a URL: the scheme, and what comes after it. */
export function* splitUrl(url: string): Generator<Chunk> {
  const scheme = url.indexOf("://");
  yield { kind: "word", text: url.slice(0, scheme) };
  for (const match of url.slice(scheme).matchAll(CHUNK_OF_URL)) yield toChunk(match);
}

function toChunk(match: RegExpExecArray): Chunk {
  return { kind: match.groups?.unspaced === undefined ? "word" : "unspaced", text: match[0] };
}

/** Without the punctuation of the sentence around it, and without the last slash; `http://` alone is a word. */
function trimUrl(url: string): Chunk {
  let end = url.length;
  while (end > 0 && NO_WORD_CHARACTER.test(url.slice(Math.max(0, end - 2), end))) end -= 1;
  const text = url.slice(0, end);
  return { kind: text.includes("://") ? "url" : "word", text };
}
