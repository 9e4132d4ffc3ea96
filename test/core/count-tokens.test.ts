import { beforeAll, describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import cl100k from "gpt-tokenizer/bpeRanks/cl100k_base";
import { CL100K_TOKEN_SPLIT_REGEX } from "gpt-tokenizer/encodingParams/constants";
import { countTokens as countByLibraryInCl100k } from "gpt-tokenizer/encoding/cl100k_base";
import { countTokens as countByLibrary } from "gpt-tokenizer/encoding/o200k_base";
import { createTokenCounter, loadTokenCounter, type CountTokens } from "../../src/core/count-tokens.js";
import { hostileText } from "../support/hostile-text.js";

const PLAIN = { disallowedSpecial: new Set<string>() };
const SIZE = 64 * 1_024;

let count: CountTokens;
beforeAll(async () => {
  count = await loadTokenCounter();
});

/** Runs without a break, in which many pairs of the same rank compete. */
const run = fc
  .tuple(fc.uniqueArray(fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 }), { minLength: 1, maxLength: 3 }))
  .chain(([units]) => fc.array(fc.constantFrom(...units), { minLength: 1, maxLength: 200 }))
  .map((units) => units.join(""));

const letters = fc.string({ unit: fc.constantFrom(...Array.from("aeinrstABC0-. \n/")), maxLength: 300 });
/** The library loses a byte order mark when it looks a part up, and so counts it as two tokens. */
const anyText = fc
  .oneof(hostileText, run, letters, fc.string({ unit: "grapheme" }), fc.string({ unit: "binary" }))
  .map((text) => text.replaceAll("\uFEFF", ""));

describe("countTokens", () => {
  it("counts what is known", () => {
    expect(count("")).toBe(0);
    expect(count("Lena is allergic to hazelnuts.")).toBe(countByLibrary("Lena is allergic to hazelnuts."));
    expect(count("hello world")).toBe(2);
  });

  it("counts every text as the library does", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(count(text)).toBe(countByLibrary(text, PLAIN));
      }),
      { numRuns: 1_000 },
    );
  });

  it("counts in another vocabulary too", () => {
    const inCl100k = createTokenCounter(cl100k, CL100K_TOKEN_SPLIT_REGEX);
    fc.assert(
      fc.property(anyText, (text) => {
        expect(inCl100k(text)).toBe(countByLibraryInCl100k(text, PLAIN));
      }),
      { numRuns: 300 },
    );
  });

  it("knows the tokens that begin with a byte order mark", () => {
    expect(["\uFEFF", "\uFEFFusing", "\uFEFF\n"].map((text) => count(text))).toEqual([1, 1, 1]);
  });

  it("takes the name of a special token for ordinary text", () => {
    expect(count("<|endoftext|>")).toBe(countByLibrary("<|endoftext|>", PLAIN));
    expect(count("<|endoftext|>")).toBeGreaterThan(1);
  });

  // The library agrees, after 3 to 8 s each.
  it.each([
    ["a", 8_192],
    ["A", 8_192],
    [" ", 512],
    ["\n", 4_096],
    ["-", 1_024],
    ["\u0301", 32_768],
  ])("counts 64 KiB of %j without a break", (unit, tokens) => {
    expect(count(unit.repeat(SIZE / Buffer.byteLength(unit)))).toBe(tokens);
  });

  it("stops soon after the most that is asked for, and is exact up to it", () => {
    fc.assert(
      fc.property(anyText, fc.nat(60), (text, atMost) => {
        const exact = count(text);
        const stopped = count(text, atMost);
        if (exact <= atMost) expect(stopped).toBe(exact);
        else expect(stopped).toBeGreaterThan(atMost);
        expect(stopped).toBeLessThanOrEqual(exact);
      }),
    );
  });
});
