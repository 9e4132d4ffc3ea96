/** The words and phrases that the query rules look for: folded, whole words, compared as they are. */

/** Questions that ask for instructions: direct, whatever words they contain. */
export const HOW_TO_STARTS = [
  "how do i",
  "how do we",
  "how do you",
  "how can i",
  "how can we",
  "how should i",
  "how to",
];

/** What may stand before the verb of a request. */
export const POLITE_WORDS: ReadonlySet<string> = new Set(
  "please kindly can could would will you i we i'd want need like to let's ok okay hey hi and then now just also".split(
    " ",
  ),
);

/* Aggregation: the answer is a count, a sum or a complete list. */

export const COUNT_PHRASES = ["how many", "total number of", "number of times", "sum of all"];
/** After `how much`, or at the end of a sentence. */
export const SUM_PHRASES = ["in total", "altogether", "combined"];
/** After `total`, before `of`. */
export const TOTAL_NOUNS = ["amount", "cost", "costs", "price", "time", "duration", "spending", "value"];
export const WHAT_ALL_PHRASES = ["what are all", "what were all", "which are all", "who are all", "who were all"];
/** At the start of a request, before `all`, `every` or `each`. */
export const LIST_VERBS: ReadonlySet<string> = new Set("list name enumerate show give tell find see".split(" "));
export const LIST_OBJECTS: ReadonlySet<string> = new Set(["me", "us", "out", "off"]);
export const ALL_WORDS: ReadonlySet<string> = new Set(["all", "every", "each"]);

/* Multi-hop: the answer joins several memories. */

export const JOIN_PHRASES = [
  ...["difference between", "differences between", "relationship between", "relationships between"],
  ...["connection between", "connections between", "similarities between", "comparison between", "comparison of"],
  ...["have in common", "has in common", "everything about", "everything you know about", "everything we know about"],
  ...["everything i told you", "tell me all about", "all the times"],
];
/** `compare` and its forms need one of the connectors after them. */
export const COMPARE_WORDS: ReadonlySet<string> = new Set(["compare", "compares", "compared", "comparing"]);
export const COMPARE_CONNECTORS: ReadonlySet<string> = new Set("and with to against versus vs or".split(" "));
/** In a question with `how`. */
export const RELATE_WORDS: ReadonlySet<string> = new Set(["relate", "relates", "related"]);

/* Complex: the answer follows something through time. */

export const COURSE_PHRASES = [
  ...["timeline", "history of", "chronological order", "chronologically", "sequence of events", "order of events"],
  ...["evolved over", "changed over", "changed since", "changes over time"],
];
/** `why` or `how` in front of the first, a word of change behind it. */
export const CHANGE_QUESTIONS = [
  ...["why did", "why has", "why have", "why was", "why were", "why had"],
  ...["how did", "how has", "how have"],
];
export const CHANGE_WORDS: ReadonlySet<string> = new Set(
  "change changed changing switch switched switching migrate migrated replace replaced evolve evolved".split(" "),
);
/** After `before` or `after`. */
export const TRANSITION_WORDS: ReadonlySet<string> = new Set(
  "switch switched switching migrate migrated migrating migration changed moved moving".split(" "),
);

/* Temporal state. */

export const CURRENT_PHRASES = [...["currently", "right now", "at present", "nowadays", "as of now", "as of today"]];
/** Before `these days`, when they are certain days. */
export const NOT_BEFORE_THESE_DAYS: ReadonlySet<string> = new Set("of on in for during between all".split(" "));
export const HISTORICAL_PHRASES = ["previously", "formerly", "back then", "back in the day", "in those days"];
export const HISTORICAL_ADJECTIVES: ReadonlySet<string> = new Set(["former", "previous"]);
export const DETERMINERS: ReadonlySet<string> = new Set("my your his her its our their the a this that".split(" "));
/** Words that show the word before to be no adjective ("the current in the wire"), or no English (French "former un"). */
export const NOT_AFTER_ADJECTIVE: ReadonlySet<string> = new Set([
  ..."in through of on at to from for with and or is are was were does do did flows flow drawn that which".split(" "),
  ..."account accounts un une des les le la du".split(" "),
]);
/** Before a final `now` that is not about the present state: "until now". */
export const NOT_BEFORE_NOW: ReadonlySet<string> = new Set("until till by from for just and up before than".split(" "));
export const QUESTION_STARTS: ReadonlySet<string> = new Set(
  "what what's where where's who who's which whose is are am do does has have".split(" "),
);
/** Before `used to`: accustomed to, or made for. */
export const BE_WORDS: ReadonlySet<string> = new Set(
  "is are was were be been being am i'm you're we're they're he's she's isn't aren't wasn't get gets got getting".split(
    " ",
  ),
);
/** Between a form of `be` and `used to`: the subject of a clause of its own. */
export const CLAUSE_SUBJECTS: ReadonlySet<string> = new Set("i you we he she it they that who which where".split(" "));
