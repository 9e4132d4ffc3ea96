import { describe, expect, it } from "@jest/globals";
import { prefixesOf, recipeOf } from "../../src/embeddings/prefixes.js";
import { maxItemsAt } from "../../src/embeddings/provider-table.js";

describe("prefixesOf", () => {
  it.each([
    ["nomic-embed-text", "search_document: ", "search_query: "],
    ["nomic-ai/nomic-embed-text-v1.5", "search_document: ", "search_query: "],
    ["intfloat/Multilingual-E5-large", "passage: ", "query: "],
    ["jeffh/intfloat-multilingual-e5-large", "", ""],
    ["snowflake-arctic-embed2:568m", "", "query: "],
    ["text-embedding-3-small", "", ""],
    ["intfloat/e5-mistral-7b-instruct", "", ""],
  ])("knows %s", (model, document, query) => {
    expect(prefixesOf(model, {})).toEqual({ document, query });
  });

  it("lets the settings say otherwise, also that there is none", () => {
    expect(prefixesOf("e5-base", { query: "Q " })).toEqual({ document: "passage: ", query: "Q " });
    expect(prefixesOf("e5-base", { document: "none", query: "none" })).toEqual({ document: "", query: "" });
  });
});

describe("recipeOf", () => {
  it("differs for every length and every pair of prefixes", () => {
    const recipes = [
      recipeOf(3200, { document: "", query: "" }),
      recipeOf(8000, { document: "", query: "" }),
      recipeOf(3200, { document: "a", query: "" }),
      recipeOf(3200, { document: "", query: "a" }),
      recipeOf(3200, { document: 'a","', query: "" }),
    ];
    expect(new Set(recipes).size).toBe(recipes.length);
    expect(recipes[0]).toBe("head_3200_v2");
  });
});

describe("maxItemsAt", () => {
  it.each([
    ["openai", "https://api.openai.com/v1/embeddings", 2048],
    ["openai", "https://dashscope.aliyuncs.com/compatible-mode/v1/embeddings", 10],
    ["voyage", "https://api.voyageai.com/v1/embeddings", 1000],
    ["openai", "http://constructor/v1", 2048],
  ] as const)("of %s at %s", (provider, url, count) => {
    expect(maxItemsAt(provider, url)).toBe(count);
  });
});
