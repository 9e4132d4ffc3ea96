/** The package is CommonJS and has no types of its own. */
declare module "wink-porter2-stemmer" {
  /** The Porter2 stem of a word; its time is quadratic in the length of the word. */
  const porter2: (word: string) => string;
  export = porter2;
}
