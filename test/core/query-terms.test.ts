import { describe, expect, it } from "@jest/globals";
import { queryTerms } from "../../src/core/query-terms.js";

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
