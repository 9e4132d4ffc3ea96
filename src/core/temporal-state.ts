import { afterPhrase, endsWithPhrase, hasPhrase } from "./has-phrase.js";
import type { Sentence } from "./query-sentences.js";
import * as words from "./query-words.js";

/** Whether a query asks for the state of things now or for an earlier one; null when it says neither. */
export type TemporalState = "current" | "historical" | null;

/** The temporal state that one of the sentences asks for; historical when they ask for both. English, whole words. */
export function temporalState(sentences: readonly Sentence[]): TemporalState {
  if (sentences.some(isHistorical)) return "historical";
  return sentences.some(isCurrent) ? "current" : null;
}

function isHistorical(sentence: Sentence): boolean {
  return (
    hasPhrase(sentence, words.HISTORICAL_PHRASES) ||
    endsWithPhrase(sentence, ["in the past"]) ||
    sentence.some((word, at) => words.HISTORICAL_ADJECTIVES.has(word) && isAdjective(sentence, at)) ||
    sentence.some((word, at) => word === "used" && sentence[at + 1] === "to" && isPastHabit(sentence, at))
  );
}

function isCurrent(sentence: Sentence): boolean {
  return (
    hasPhrase(sentence, words.CURRENT_PHRASES) ||
    sentence.some((word, at) => word === "current" && isAdjective(sentence, at)) ||
    saysAtTheMoment(sentence) ||
    saysTheseDays(sentence) ||
    endsInNow(sentence)
  );
}

/** "What am I reading at the moment", not "at the moment of impact". */
function saysAtTheMoment(sentence: Sentence): boolean {
  const after = afterPhrase(sentence, "at the moment");
  return after >= 0 && sentence[after] !== "of" && sentence[after] !== "when";
}

/** "What do I drink these days", not "on which of these days". */
function saysTheseDays(sentence: Sentence): boolean {
  const after = afterPhrase(sentence, "these days");
  return after >= 0 && !words.NOT_BEFORE_THESE_DAYS.has(sentence[after - 3] ?? "");
}

/** Before a noun and after a determiner, a possessive or nothing: "my former …", "Alice's current …". */
function isAdjective(sentence: Sentence, at: number): boolean {
  const next = sentence[at + 1];
  if (next === undefined || words.NOT_AFTER_ADJECTIVE.has(next)) return false;
  const before = sentence[at - 1];
  return before === undefined || words.DETERMINERS.has(before) || before.endsWith("'s");
}

/** "Where does Alice live now", not "what did I do until now". */
function endsInNow(sentence: Sentence): boolean {
  if (sentence.length < 4 || sentence.at(-1) !== "now") return false;
  return words.QUESTION_STARTS.has(sentence[0] ?? "") && !words.NOT_BEFORE_NOW.has(sentence.at(-2) ?? "");
}

/** "Alice used to …", not "she is used to …" or "what is the key used to …". */
function isPastHabit(sentence: Sentence, at: number): boolean {
  for (let before = at - 1; before >= 0; before -= 1) {
    const word = sentence[before] ?? "";
    if (words.CLAUSE_SUBJECTS.has(word)) return true;
    if (words.BE_WORDS.has(word)) return false;
  }
  return true;
}
