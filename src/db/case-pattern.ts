import { caseVariants } from "../core/case-variants.js";

/**
 * A regular expression of Postgres that finds `text` regardless of case. Every letter stands there with its other cases,
 * so that the expression is compared `collate "C"`: `lower()` and `~*` leave `Ä` alone in a database of locale C.
 * It holds no character class, and matches as many characters as `text` has.
 */
export function casePattern(text: string): string {
  return Array.from(text, (character) => {
    const variants = caseVariants(character);
    if (variants.length > 1) return `[${variants.join("")}]`;
    return /[\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e]/.test(character) ? `\\${character}` : character;
  }).join("");
}
