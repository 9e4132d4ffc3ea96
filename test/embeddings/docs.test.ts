import { readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import { KNOWN_PREFIXES } from "../../src/embeddings/prefixes.js";
import { HOST_MAX_ITEMS, PROVIDERS } from "../../src/embeddings/provider-table.js";

const page = readFileSync(new URL("../../docs/embedding.md", import.meta.url), "utf8");

/** The rows of the table under these headings, cell by cell, without the marks of code. */
function rowsOf(...headings: string[]): string[][] {
  const start = page.indexOf(`| ${headings.join(" | ")} |\n`);
  const [, , ...rows] = page.slice(start, page.indexOf("\n\n", start)).split("\n");
  return rows.map((row) =>
    row
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) =>
        cell
          .trim()
          .replace(/^`(.*)`$/, "$1")
          .replaceAll("\\|", "|"),
      ),
  );
}

describe("docs/embedding.md", () => {
  it("has the defaults and caps of every provider as the code has them", () => {
    const rows = rowsOf("provider", "default model", "default address", "texts in a request", "characters of a text");
    const table = Object.entries(PROVIDERS).map(([name, { model, baseUrl, maxItems, maxChars }]) => [
      ...[name, model, baseUrl ?? "in this process", String(maxItems)],
      maxChars === undefined ? "reads 32 windows of 256 tokens" : String(maxChars),
    ]);
    expect(rows).toEqual(table);
  });

  it("has the hosts that take fewer texts", () => {
    const rows = rowsOf("host", "texts in a request");
    expect(rows).toEqual(Object.entries(HOST_MAX_ITEMS).map(([host, count]) => [host, String(count)]));
  });

  it("has the prefixes of the known models", () => {
    const rows = rowsOf("model", "before a memory", "before a query");
    expect(rows).toEqual(Object.entries(KNOWN_PREFIXES).map(([name, { document, query }]) => [name, document, query]));
  });
});
