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
  it("are its whole names with a joiner, a letter and a digit", () => {
    expect(queryIdentifiers("What is ticket ZX‑4471‑Q about, or E-4031?")).toEqual(["zx-4471-q", "e-4031"]);
    expect(queryIdentifiers("sunflower-42 on db-1.example.com by v1.2")).toEqual([
      ...["sunflower-42", "db-1.example.com", "v1.2"],
    ]);
  });

  it("are neither words, nor numbers, nor words and numbers that stand beside each other", () => {
    const query = "Which user_id, well-known, 3.5, 2026-03-01, 4471, ZX 4471, a1, and Bob's?";
    expect(queryIdentifiers(query)).toEqual([]);
    expect(queryIdentifiers(`${"a-".repeat(2_047)}b`)).toEqual([]);
  });
});
