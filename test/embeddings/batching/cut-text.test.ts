import { describe, expect, it } from "@jest/globals";
import { cutText } from "../../../src/embeddings/batching/cut-text.js";

const family = "👨‍👩‍👧‍👦";

describe("cutText", () => {
  it("leaves a text that fits alone", () => {
    expect(cutText("four", 4)).toEqual({ text: "four", truncated: false });
  });

  it("cuts a longer text and says so", () => {
    expect(cutText("five!", 4)).toEqual({ text: "five", truncated: true });
  });

  it.each([
    ["an emoji of several code points", `ab${family}`, 5, "ab"],
    ["a letter and its accents", "abe\u0301\u0323", 4, "ab"],
    ["a line break of two characters", "abc\r\n", 4, "abc"],
    ["a surrogate pair", "ab😀", 3, "ab"],
  ])("never tears %s", (_, text, maxChars, expected) => {
    expect(cutText(text, maxChars)).toEqual({ text: expected, truncated: true });
  });

  it("keeps a whole character that ends at the limit", () => {
    expect(cutText(`ab${family}c`, 2 + family.length).text).toBe(`ab${family}`);
  });

  it("finds the border deep inside a long text", () => {
    const { text } = cutText(family.repeat(5000), 40_003);
    expect(text.length % family.length).toBe(0);
    expect(text.length).toBeGreaterThan(40_003 - family.length);
  });

  it.each([
    ["a surrogate pair", "😀x", 1],
    ["a family", `${family}x`, 5],
  ])("leaves nothing where the first character does not fit: %s", (_, text, maxChars) => {
    expect(cutText(text, maxChars)).toEqual({ text: "", truncated: true });
  });

  it("cuts a character that is longer than any real one rather than losing the text", () => {
    const { text, truncated } = cutText(`a${"\u0301".repeat(500)}`, 300);
    expect(truncated).toBe(true);
    expect(text).toHaveLength(300);
  });
});
