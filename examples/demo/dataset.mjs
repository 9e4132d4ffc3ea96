import { existsSync, readFileSync } from "node:fs";
import { locomoDataset } from "./locomo.mjs";

const LOCOMO = new URL("../../../shared/data/locomo/locomo-5.json", import.meta.url);
const OWN = new URL("../conversation.json", import.meta.url);

/**
 * A memory as the API takes it, without its scope.
 *
 * @typedef {{ content: string, event_at: string, session_id: string, external_id: string,
 *   namespace: string, metadata: { turns: string[] } }} DemoMemory
 *
 * `sources` are entries of `metadata.turns`; none means that the conversation cannot answer it.
 * @typedef {{ question: string, kind: string, answer: string | null, sources: string[] }} DemoQuestion
 * @typedef {{ title: string, licence: string, memories: DemoMemory[], questions: DemoQuestion[] }} Dataset
 */

/**
 * LoCoMo where it is at hand beside the repository, else the conversation of our own writing.
 *
 * @returns {Dataset}
 */
export function readDataset() {
  if (existsSync(LOCOMO)) return locomoDataset(JSON.parse(readFileSync(LOCOMO, "utf8")));
  return ownDataset(JSON.parse(readFileSync(OWN, "utf8")));
}

/**
 * @param {{ title: string, licence: string, memories: [string, string][], questions: DemoQuestion[] }} own
 * @returns {Dataset}
 */
function ownDataset({ memories, ...rest }) {
  return {
    ...rest,
    memories: memories.map(([event_at, content], index) => {
      const id = `m${String(index + 1).padStart(2, "0")}`;
      const session_id = event_at.slice(0, 10);
      return { content, event_at, session_id, external_id: id, namespace: "demo", metadata: { turns: [id] } };
    }),
  };
}
