import type { Response } from "supertest";
import { bodyOf, type Api, type DecisionBody, type SearchBody } from "./api.js";

/** The three modes of a search, and the route by vectors alone. */
export const WAYS = ["hybrid", "semantic", "lexical", "fast"] as const;
export type Way = (typeof WAYS)[number];

/** The reply of a search, whatever it is. */
export async function askBy(api: Api, way: Way, fields: object): Promise<Response> {
  if (way === "fast") return await api.request.post("/v1/memories/search/fast").send(fields);
  return await api.request.post("/v1/memories/search").send({ ...fields, mode: way });
}

/** Searches; fails the test unless the answer is 200. */
export async function searchBy(api: Api, way: Way, fields: object): Promise<SearchBody> {
  return bodyOf<SearchBody>(await askBy(api, way, fields), 200);
}

/** What a search considers and why each of it is in or out, in ranking order, with 1,000 of each channel in the pool. */
export async function consideredBy(api: Api, way: Way, fields: object): Promise<DecisionBody[]> {
  const floor = "threshold" in fields || "gate_mode" in fields ? {} : { gate_mode: "off" };
  const found = await searchBy(api, way, { limit: 100, explain: true, ...floor, ...fields });
  return found.filter_decisions ?? [];
}

/** Contents of what was found, in order of the letters. */
export function contentsOf(found: SearchBody): string[] {
  return found.memories.map((memory) => memory.content).sort();
}
