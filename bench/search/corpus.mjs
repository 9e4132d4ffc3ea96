import { seededRandom } from "../ranking/seeded-random.mjs";

const COMMON = `the of and to a in is that for it was on with as he be at by i this had not are but from or have an they
which one you were all her she there would their we him been has when who will no more if out so up said what its about
than into them can only other time new some could these two may first then do any like my now over such our man me even
most made after also did many off before must well back through years much where your way down should because long each
just those people take how too little good world make very year still see own work long day get here between both life
being under never day same another know while last might us great old go come since against right came used`.split(
  /\s+/,
);
const SYLLABLES =
  "ba co di fe gu ha jo ki lu me no pa qui ro sa te vu wi xo ya zen tor lin mar pel dun gras ston".split(" ");
const WORDS = 20_000;
const YEAR_MS = 365 * 24 * 60 * 60 * 1_000;

/** The words by falling frequency: English ones that every text has, and then made-up ones. */
const VOCABULARY = [...new Set(COMMON)];
for (let n = 0; VOCABULARY.length < WORDS; n++) VOCABULARY.push(madeUp(n));

/** Zipf and Mandelbrot's law: the share of the words up to each rank. */
const SHARES = cumulate(VOCABULARY.map((_, rank) => 1 / (rank + 2.7)));

/**
 * The `n`-th memory of the corpus as a request body: 10 to 35 words whose frequencies fall as those of English do, so
 * that a query's common words are in a large share of the memories.
 */
export function memory(n) {
  const random = seededRandom(n + 1);
  return {
    content: words(random, 10 + Math.floor(random() * 26)).join(" "),
    importance: Math.round(random() * 100) / 100,
    event_at: new Date(Date.UTC(2025, 0, 1) + random() * YEAR_MS).toISOString(),
    source_site: ["slack", "mail.google.com", "notes"][n % 3],
    namespace: `project-${n % 7}/notes`,
  };
}

/** The `n`-th question: five common words and the three rarest of a memory among the first `size`. */
export function question(n, size) {
  const about = memory(Math.floor(seededRandom(1_000_000 + n)() * size));
  const rare = [...new Set(about.content.split(" "))].sort((a, b) => RANK.get(b) - RANK.get(a));
  return `What did they say about the ${rare[0]} and ${rare[1]} of ${rare[2]}?`;
}

const RANK = new Map(VOCABULARY.map((word, rank) => [word, rank]));

/** How much a word says: the rarer the more; words that are not of the corpus count as rare ones. */
export function weight(word) {
  return Math.log((RANK.get(word) ?? WORDS) + 2);
}

function words(random, count) {
  return Array.from({ length: count }, () => VOCABULARY[firstAbove(random())]);
}

/** The first rank whose share is above `share`, by bisection. */
function firstAbove(share) {
  let [low, high] = [0, SHARES.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (SHARES[middle] > share) high = middle;
    else low = middle + 1;
  }
  return low;
}

function cumulate(values) {
  const total = values.reduce((sum, value) => sum + value, 0);
  let sum = 0;
  return values.map((value) => (sum += value) / total);
}

/** A word of three syllables or more, another one for every number. */
function madeUp(n) {
  let [word, rest] = ["", n + SYLLABLES.length ** 2];
  for (; rest > 0; rest = Math.floor(rest / SYLLABLES.length)) word += SYLLABLES[rest % SYLLABLES.length];
  return word;
}
