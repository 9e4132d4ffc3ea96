import { expect, it } from "@jest/globals";
import { caseVariants } from "../../src/core/case-variants.js";

it.each([
  ["a", "Aa"],
  ["Ä", "Ää"],
  ["k", "Kk\u212a"],
  ["ς", "Σςσ"],
  ["ß", "ßẞ"],
  ["𐐀", "𐐀𐐨"],
  ["i", "Ii"],
  ["ı", "ı"],
  ["İ", "İ"],
  ["7", "7"],
  ["漢", "漢"],
])("the variants of %s are %s", (character, variants) => {
  expect([...caseVariants(character)].sort()).toEqual(Array.from(variants).sort());
});

it("they are those that a regular expression of JavaScript takes for one letter", () => {
  const wrong: string[] = [];
  for (let code = 0; code < 0x2_0000; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const character = String.fromCodePoint(code);
    const [upper, lower] = [character.toUpperCase(), character.toLowerCase()];
    const others = new Set(
      [character, upper, lower, ...caseVariants(character)].filter((each) => Array.from(each).length === 1),
    );
    const pattern = new RegExp(`^\\u{${code.toString(16)}}$`, "iu");
    const variants = new Set(caseVariants(character));
    for (const other of others) if (pattern.test(other) !== variants.has(other)) wrong.push(`${character} ${other}`);
  }
  expect(wrong).toEqual([]);
});
