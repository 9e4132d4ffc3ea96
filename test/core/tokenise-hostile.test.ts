import { describe, expect, it } from "@jest/globals";
import { analyse } from "../../src/core/tokenise.js";

const SIZE = 64 * 1_024;

function fill(unit: string): string {
  return unit.repeat(Math.floor(SIZE / Buffer.byteLength(unit)));
}

/** Inputs on which backtracking, recursion or normalisation would take quadratic time or overflow a stack. */
const HOSTILE: Readonly<Record<string, string>> = {
  "one word": fill("a"),
  joiners: fill("-"),
  "joined letters": fill("a-"),
  "an endless e-mail address": fill("a.b@"),
  "an endless path": fill("a/"),
  apostrophes: fill("a'"),
  contractions: fill("a't"),
  "grouped digits": fill("1,"),
  "nested URLs": fill("a://"),
  "almost URLs": fill("a:https"),
  "almost schemes": fill(`${"a".repeat(31)}:`),
  "a URL of punctuation": `http://${fill("!")}`,
  "marks in the wrong order": `a${"\u0301".repeat(SIZE / 4)}${"\u0316".repeat(SIZE / 4)}`,
  "marks on a Thai letter": `ก${fill("\u0E49")}`,
  "one Han run": fill("漢"),
  "alternating scripts": fill("漢a"),
  spaces: fill(" "),
  "joiners of zero width": fill("\u200D"),
  surrogates: fill("\uD800"),
  "letters that expand": fill("\uFDFA"),
  "letters that change length": fill("İß"),
};

describe("analyse on 64 KiB", () => {
  it.each(Object.entries(HOSTILE))("makes no more terms than characters of %s", (_name, text) => {
    const { exact, exactLength, stemmedLength } = analyse(text);
    expect(exactLength).toBeLessThanOrEqual(text.length);
    expect(stemmedLength).toBe(exactLength);
    expect(exact.size).toBeLessThanOrEqual(exactLength);
  });

  it.each(Object.entries(HOSTILE))("keeps the terms of %s within four times its size", (_name, text) => {
    const terms = [...analyse(text).exact].reduce((sum, [term, frequency]) => sum + term.length * frequency, 0);
    expect(terms).toBeLessThanOrEqual(4 * text.length);
  });

  it("keeps a word of any length", () => {
    expect([...analyse(fill("a")).exact.keys()]).toEqual([fill("a")]);
  });
});
