import { beforeAll, describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { MAX_WINDOWS, planText } from "../../../src/embeddings/embedded/plan-text.js";
import { WordPieceTokens } from "../../../src/embeddings/embedded/tokens.js";
import { splitIntoWindows, WINDOW_TOKENS } from "../../../src/embeddings/embedded/windows.js";

let tokens: WordPieceTokens;

beforeAll(async () => {
  tokens = await WordPieceTokens.load();
});

const split = (text: string): string[] => splitIntoWindows(text, (part) => tokens.count(part));

describe("splitIntoWindows", () => {
  it("leaves a text that fits in one piece", () => {
    const text = "  one   two\n\nthree ";
    expect(split(text)).toEqual([text]);
  });

  it("cuts at the ends of sentences", () => {
    const sentence = 'She said: "we met at half past 3.5 hours, in the old library." ';
    for (const window of split(sentence.repeat(60))) expect(window).toMatch(/^She.*library\." $/);
  });

  it("cuts between words when a sentence is too long", () => {
    for (const window of split("unbelievable ".repeat(400))) expect(window).toMatch(/^(unbelievable )+$/);
  });

  it("cuts between characters when there are no words", () => {
    const windows = split("記憶".repeat(400));
    expect(windows.join("")).toBe("記憶".repeat(400));
    expect(windows.length).toBeLessThanOrEqual(4);
  });

  it("loses nothing but blanks, and fills no window beyond what the model takes", () => {
    const piece = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 40 }),
      fc.constantFrom("word ", "! ", "\n", "。", "!!!", "x".repeat(120), "antidisestablishmentarianism ", "1.5 ", "  "),
    );
    const text = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join("").repeat(8));
    fc.assert(
      fc.property(text, (sample) => {
        const windows = split(sample);
        expect(windows.join("").replaceAll(/\s/g, "")).toBe(sample.replaceAll(/\s/g, ""));
        for (const window of windows) expect(tokens.count(window)).toBeLessThanOrEqual(WINDOW_TOKENS);
      }),
      { numRuns: 60 },
    );
  });
});

describe("planText", () => {
  it.each([
    ["line breaks", "\n".repeat(65_536)],
    ["letters", "a ".repeat(32_768)],
    ["one word", "x".repeat(65_536)],
    ["marks", "!".repeat(65_536)],
    ["full stops", ". ".repeat(32_768)],
    ["quotes", "'".repeat(65_536)],
    ["ideographs", "憶".repeat(21_845)],
    ["emoji", "😀 ".repeat(13_107)],
    ["accents", "e\u0301".repeat(21_845)],
  ])("plans 64 KiB of %s by tokenising it at most four times over", (_, text) => {
    let tokenised = 0;
    splitIntoWindows(text, (part) => {
      tokenised += part.length;
      return tokens.count(part);
    });
    expect(tokenised).toBeLessThanOrEqual(4 * text.length);
    const { windows } = planText(text, tokens);
    expect(windows.length).toBeGreaterThanOrEqual(1);
    expect(windows.length).toBeLessThanOrEqual(MAX_WINDOWS);
  });

  it("says when the text has more windows than are read", () => {
    const sentence = "This sentence has exactly eight words in it. ";
    expect(planText(sentence.repeat(500), tokens).truncated).toBe(false);
    expect(planText(sentence.repeat(1400), tokens).truncated).toBe(true);
  });

  it("says when a word is too long for the model to read", () => {
    expect(planText(`a key: ${"x".repeat(100)}`, tokens).truncated).toBe(false);
    expect(planText(`a key: ${"x".repeat(101)}`, tokens).truncated).toBe(true);
  });

  it("gives a blank text the two special tokens alone", () => {
    expect(planText(" \n", tokens).windows.map((window) => window.ids)).toEqual([[101, 102]]);
  });
});
