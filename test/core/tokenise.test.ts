import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { analyse } from "../../src/core/tokenise.js";

function exactTerms(text: string): string[] {
  return [...analyse(text).exact.keys()];
}

function stemmedTerms(text: string): string[] {
  return [...analyse(text).stemmed.keys()];
}

describe("analyse", () => {
  it.each([
    ["ZX-4471-Q", ["zx-4471-q", "zx", "4471", "q"]],
    ["E-4031", ["e-4031", "e", "4031"]],
    ["user_id", ["user_id", "user", "id"]],
    ["v1.2.3", ["v1.2.3", "v1", "2", "3"]],
    ["65,536", ["65,536", "65", "536"]],
    ["state-of-the-art", ["state-of-the-art", "state", "of", "the", "art"]],
    ["src/core/errors.ts", ["src/core/errors.ts", "src", "core", "errors.ts", "errors", "ts"]],
    ["AT&T", ["at&t", "at", "t"]],
  ])("keeps %s whole and in its parts", (text, terms) => {
    expect(exactTerms(text)).toEqual(terms);
    expect(exactTerms(`(${text}).`)).toEqual(terms);
    expect(exactTerms(`${text}'s`)).toEqual(terms);
  });

  it("drops joiners at the ends of a word, and joins nothing by several of them", () => {
    expect(exactTerms("__init__ --no-verify wait--what")).toEqual([
      ...["init", "no-verify", "no", "verify", "wait", "what"],
    ]);
  });

  it("keeps an e-mail address whole, its names and its parts", () => {
    expect(exactTerms("<Alice.Smith@Example.com>")).toEqual([
      ...["alice.smith@example.com", "alice.smith", "alice", "smith", "example.com", "example", "com"],
    ]);
  });

  it("keeps a URL whole, its names and its parts, without the punctuation around it", () => {
    expect(exactTerms("(see https://example.com/docs/user_id?q=1).")).toEqual([
      ...["see", "https://example.com/docs/user_id?q=1", "https", "example.com/docs/user_id"],
      ...["example.com", "example", "com", "docs", "user_id", "user", "id", "q", "1"],
    ]);
    expect(exactTerms("see:https://example.com")).toContain("https://example.com");
    expect(exactTerms("https://example.com/")).toContain("https://example.com");
    expect(exactTerms("看https://example.com吧")).toEqual([
      ...["看", "https://example.com", "https", "example.com", "example", "com", "吧"],
    ]);
  });

  it.each([
    ["Bob's", ["bob"]],
    ["Bob’s", ["bob"]],
    ["dogs'", ["dogs"]],
    ["'quoted'", ["quoted"]],
    ["don't", ["don't"]],
    ["DON’T", ["don't"]],
    ["we'll", ["we'll"]],
    ["O'Brien", ["obrien", "o", "brien"]],
    ["l'homme", ["lhomme", "l", "homme"]],
  ])("reads the apostrophe of %s as %j", (text, terms) => {
    expect(exactTerms(text)).toEqual(terms);
  });

  it.each([
    ["case", "STRASSE Straße", ["strasse"]],
    ["final sigma", "ΟΔΟΣ οδος", ["οδοσ"]],
    ["dotted i", "İstanbul istanbul", ["istanbul"]],
    ["normal form", "caf\u00E9 cafe\u0301", ["café"]],
    ["soft hyphens and joiners", "co\u00ADoperate co\u200Doperate cooperate", ["cooperate"]],
    ["the kind of hyphen", "a\u2011b a-b", ["a-b", "a", "b"]],
  ])("makes no difference by %s", (_name, text, terms) => {
    expect(exactTerms(text)).toEqual(terms);
  });

  it("splits scripts without spaces into overlapping pairs of characters", () => {
    expect(exactTerms("東京都")).toEqual(["東京", "京都"]);
    expect(exactTerms("猫")).toEqual(["猫"]);
    expect(exactTerms("ラーメン")).toEqual(["ラー", "ーメ", "メン"]);
    expect(exactTerms("학교")).toEqual(["학교"]);
    expect(exactTerms("สวัสดี")).toEqual(["สวั", "วัส", "สดี"]);
    expect(exactTerms("ສະບາຍ")).toEqual(["ສະ", "ະບ", "ບາ", "າຍ"]);
    expect(exactTerms("ភាសា")).toEqual(["ភាសា"]);
    expect(exactTerms("မြန်မာ")).toEqual(["မြန်", "န်မာ"]);
    expect(exactTerms("iPhone15を買う")).toEqual(["iphone15", "を買", "買う"]);
    expect(exactTerms("订单ZX-4471-Q已发货")).toEqual(["订单", "zx-4471-q", "zx", "4471", "q", "已发", "发货"]);
  });

  it("replaces plain English words by their stems, and nothing else", () => {
    expect(stemmedTerms("Dogs running")).toEqual(["dog", "run"]);
    expect(stemmedTerms("files_deleted")).toEqual(["files_deleted", "file", "delet"]);
    expect(stemmedTerms("dogs2 naïves don't собаки")).toEqual(["dogs2", "naïves", "don't", "собаки"]);
    expect(stemmedTerms("constructor")).toEqual(["constructor"]);
    expect(stemmedTerms("s".repeat(41))).toEqual(["s".repeat(41)]);
  });

  it("adds up the frequencies of words with one stem", () => {
    const { exact, stemmed } = analyse("run runs running run");
    expect(exact).toEqual(new Map(Object.entries({ run: 2, runs: 1, running: 1 })));
    expect(stemmed).toEqual(new Map(Object.entries({ run: 4 })));
  });

  it("finds no terms in punctuation, emoji, marks and lone surrogates", () => {
    for (const text of ["", "   ", "?!…—", "❤️ 😀", "\u0301", "\uD800 \uDC00", "://"]) {
      expect(analyse(text)).toEqual({ exact: new Map(), stemmed: new Map(), exactLength: 0, stemmedLength: 0 });
    }
  });

  it("counts the sum of the frequencies as length", () => {
    const fragments = fc.constantFrom(
      ..."a Dogs it's 猫 東京 - _ . @ : / ' , 1 https:// é \u0301 İ ß \u0020".split(" "),
    );
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(fragments).map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(text, (any) => {
        const { exact, stemmed, exactLength, stemmedLength } = analyse(any);
        const sum = (terms: Map<string, number>): number => [...terms.values()].reduce((all, each) => all + each, 0);
        expect([exactLength, stemmedLength]).toEqual([sum(exact), sum(stemmed)]);
        expect([...exact.keys(), ...stemmed.keys()]).not.toContain("");
      }),
    );
  });

  it("gives one analysis for every case and normal form of a text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const analysis = analyse(text);
        for (const form of [text.toUpperCase(), text.toLowerCase(), text.normalize("NFD")]) {
          expect(analyse(form)).toEqual(analysis);
        }
      }),
    );
  });
});
