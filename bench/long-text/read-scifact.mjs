import { readFileSync } from "node:fs";

/**
 * SciFact (Wadden et al. 2020) as BEIR uses it: the corpus as title and abstract, and the validation claims with the
 * ids of the abstracts that they cite.
 */
export function readScifact(folder) {
  const documents = readCsv(new URL("corpus_train.csv", folder)).map((row) => ({
    id: row.doc_id,
    text: `${row.title} ${readStringArray(row.abstract).join(" ")}`,
  }));
  const claims = new Map();
  for (const row of readCsv(new URL("claims_validation.csv", folder))) {
    claims.set(row.id, { text: row.claim, gold: row.cited_doc_ids.match(/\d+/g) ?? [] });
  }
  return { documents, claims: [...claims.values()].filter((claim) => claim.gold.length > 0) };
}

function readCsv(url) {
  const [header, ...rows] = parseCsv(readFileSync(url, "utf8"));
  return rows.map((row) => Object.fromEntries(header.map((name, index) => [name, row[index] ?? ""])));
}

/** RFC 4180. */
function parseCsv(text) {
  const rows = [[]];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\r?\n|$)/g)) {
    rows.at(-1).push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end !== ",") rows.push([]);
  }
  return rows.filter((row) => row.length > 1);
}

/** The sentences of `['one' "two's"\n 'three']`, the way numpy prints an array of strings. */
function readStringArray(printed) {
  return [...printed.matchAll(/'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"/gs)].map(([, single, double]) =>
    (single ?? double).replaceAll(/\\(.)/g, "$1"),
  );
}
