import { existsSync } from "node:fs";
import { readScifact } from "../long-text/read-scifact.mjs";
import { readLocomo } from "./read-locomo.mjs";
import { seededRandom } from "./seeded-random.mjs";

const YEAR_MS = 365 * 24 * 60 * 60 * 1_000;

/**
 * The sets by name, each as scopes of `{ documents: { text, time }[], queries: { text, group, gold }[], now }`;
 * undefined where the data are not on this machine.
 */
export function readSets() {
  const data = new URL("../../../shared/data/", import.meta.url);
  const [locomo, scifact] = [new URL("locomo/", data), new URL("scifact/", data)];
  if (!existsSync(new URL("locomo-5.json", locomo)) || !existsSync(new URL("corpus_train.csv", scifact))) {
    return undefined;
  }
  const { facts, turns } = readLocomo(locomo);
  return { "LoCoMo facts": facts, "LoCoMo turns": turns, SciFact: [scifactScope(scifact)] };
}

/** Abstracts have no dates here: each gets one within the last year, at random from a fixed seed. */
function scifactScope(folder) {
  const { documents, claims } = readScifact(folder);
  const place = new Map(documents.map(({ id }, index) => [id, index]));
  const random = seededRandom(11);
  const now = Date.UTC(2025, 0, 1);
  return {
    documents: documents.map(({ text }) => ({ text, time: now - random() * YEAR_MS })),
    queries: claims.map(({ text, gold }) => ({ text, group: "plain", gold: gold.map((id) => place.get(id)) })),
    now,
  };
}
