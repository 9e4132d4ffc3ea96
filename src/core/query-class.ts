import { afterPhrase, endsWithPhrase, hasPhrase, startsWithPhrase } from "./has-phrase.js";
import { countWords, type Sentence } from "./query-sentences.js";
import * as words from "./query-words.js";

/** What kind of answer a query asks for; `simple` and `medium` are direct questions and gated by default. */
export type QueryClass = "simple" | "medium" | "complex" | "multi_hop" | "aggregation";

/** A direct query of at most so many words is simple. */
const SIMPLE_WORDS = 5;

/**
 * The class of a query: the first of aggregation, multi_hop and complex that one of its sentences asks for, otherwise by
 * length. The rules look for whole English words; a query in another language has a class by length.
 */
export function queryClass(sentences: readonly Sentence[]): QueryClass {
  const open = sentences.filter((sentence) => !startsWithPhrase(sentence, words.HOW_TO_STARTS));
  if (open.some(asksForAll)) return "aggregation";
  if (open.some(asksToJoin)) return "multi_hop";
  if (open.some(asksForCourse)) return "complex";
  return countWords(sentences) <= SIMPLE_WORDS ? "simple" : "medium";
}

function asksForAll(sentence: Sentence): boolean {
  return (
    hasPhrase(sentence, words.COUNT_PHRASES) ||
    hasPhrase(sentence, words.WHAT_ALL_PHRASES) ||
    asksForSum(sentence) ||
    asksForList(sentence)
  );
}

/** "How much … in total", "what did it cost altogether", "the total cost of …". */
function asksForSum(sentence: Sentence): boolean {
  const howMuch = afterPhrase(sentence, "how much");
  if (howMuch >= 0 && hasPhrase(sentence.slice(howMuch), words.SUM_PHRASES)) return true;
  if (endsWithPhrase(sentence, words.SUM_PHRASES)) return true;
  return words.TOTAL_NOUNS.some((noun) => afterPhrase(sentence, `total ${noun} of`) >= 0);
}

/** "(Please) list (me) all …", but not "tell me all about …". */
function asksForList(sentence: Sentence): boolean {
  let at = sentence.findIndex((word) => !words.POLITE_WORDS.has(word));
  if (!words.LIST_VERBS.has(sentence[at] ?? "")) return false;
  at += 1;
  if (words.LIST_OBJECTS.has(sentence[at] ?? "")) at += 1;
  return words.ALL_WORDS.has(sentence[at] ?? "") && sentence[at + 1] !== "about";
}

function asksToJoin(sentence: Sentence): boolean {
  return hasPhrase(sentence, words.JOIN_PHRASES) || asksToCompare(sentence) || asksHowRelated(sentence);
}

/** "Compare X with Y", "is X high compared to Y". */
function asksToCompare(sentence: Sentence): boolean {
  const at = sentence.findIndex((word) => words.COMPARE_WORDS.has(word));
  return at >= 0 && sentence.slice(at + 1).some((word) => words.COMPARE_CONNECTORS.has(word));
}

/** "How does X relate to Y", "how are X and Y related". */
function asksHowRelated(sentence: Sentence): boolean {
  return sentence[0] === "how" && sentence.some((word) => words.RELATE_WORDS.has(word));
}

function asksForCourse(sentence: Sentence): boolean {
  return hasPhrase(sentence, words.COURSE_PHRASES) || asksWhyChanged(sentence) || isAroundTransition(sentence);
}

/** "Why did … change", "how has … evolved". */
function asksWhyChanged(sentence: Sentence): boolean {
  return words.CHANGE_QUESTIONS.some((question) => {
    const at = afterPhrase(sentence, question);
    return at >= 0 && sentence.slice(at).some((word) => words.CHANGE_WORDS.has(word));
  });
}

/** "Before … switched", "after moving". */
function isAroundTransition(sentence: Sentence): boolean {
  const at = sentence.findIndex((word) => word === "before" || word === "after");
  return at >= 0 && sentence.slice(at + 1).some((word) => words.TRANSITION_WORDS.has(word));
}
