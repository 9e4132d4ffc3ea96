import { describe, expect, it } from "@jest/globals";
import { queryIdentifiers, queryTerms } from "../../src/core/query-terms.js";

describe("the terms of a query", () => {
  it("are those of the tokeniser, each once, as written or as stems", () => {
    expect(queryTerms("Dogs, dogs and ZX-4471-Q", "exact")).toEqual(["dogs", "and", "zx-4471-q", "zx", "4471", "q"]);
    expect(queryTerms("Dogs, dog and ZX-4471-Q", "stemmed")).toEqual(["dog", "zx-4471-q", "zx", "4471", "q"]);
  });

  it("have no function words among the stems, but words that ask", () => {
    expect(queryTerms("When is the name of a dog changed?", "stemmed")).toEqual(["when", "name", "dog", "chang"]);
  });

  it("are function words where there are no others", () => {
    expect(queryTerms("It is!", "stemmed")).toEqual(["it", "is"]);
    expect(queryTerms("?", "stemmed")).toEqual([]);
  });
});

describe("the identifiers of a query", () => {
  it("are also long names with a digit and long numbers, each without its parts", () => {
    expect(queryIdentifiers("KB5034441, 88412907, 0x7fffdeadbeef or DE89370400440532013000?")).toEqual([
      ...["kb5034441", "88412907", "0x7fffdeadbeef", "de89370400440532013000"],
    ]);
    expect(queryIdentifiers("Who has +49-171-5550199?")).toEqual(["49-171-5550199"]);
  });

  it("are its whole names with a joiner, a letter and a digit", () => {
    expect(queryIdentifiers("What is ticket ZX‑4471‑Q about, or E-4031?")).toEqual(["zx-4471-q", "e-4031"]);
    expect(queryIdentifiers("PROJ-123 on db-1.example.com by v1.2")).toEqual([
      ...["proj-123", "db-1.example.com", "v1.2"],
    ]);
  });

  it("are neither words, nor numbers, nor words and numbers that stand beside each other", () => {
    const query =
      "Which user_id, well-known, 3.5, 2026-03-01, 2026, 20th, covid-19, 24-hour, gpt-4, 4471, ZX 4471, a1, and Bob's?";
    expect(queryIdentifiers(query)).toEqual([]);
    expect(queryIdentifiers(`${"a-".repeat(2_047)}b`)).toEqual([]);
  });
});
