import { expect } from "@jest/globals";
import type { Response } from "supertest";
import { bodyOf, type Api, type DecisionBody, type HitBody, type SearchBody } from "./api.js";
import { askBy, searchBy, type Way } from "./search-calls.js";
import { uniqueName } from "./unique-name.js";

/** One way to search, in a user's memories or in those of a workspace. */
export interface GateSurface {
  readonly name: string;
  readonly way: Way;
  readonly partition: "user" | "workspace";
  /** Scores by meaning; the others consider only what shares a word with the query. */
  readonly embeds: boolean;
}

/** All that must pass one gate. */
export const SURFACES: readonly GateSurface[] = [
  { name: "full hybrid", way: "hybrid", partition: "user", embeds: true },
  { name: "full semantic", way: "semantic", partition: "user", embeds: true },
  { name: "full lexical", way: "lexical", partition: "user", embeds: false },
  { name: "fast", way: "fast", partition: "user", embeds: true },
  { name: "workspace full", way: "hybrid", partition: "workspace", embeds: true },
  { name: "workspace fast", way: "fast", partition: "workspace", embeds: true },
];

export const EMBEDDING_SURFACES = SURFACES.filter(({ embeds }) => embeds);

export type ScopeFields = Readonly<Record<string, string>>;

/** The same memories in a user's scope and in a workspace. */
export type Stored = Readonly<Record<GateSurface["partition"], ScopeFields>>;

export function newScopes(): Stored {
  return {
    user: { user_id: uniqueName("user") },
    workspace: { workspace_id: uniqueName("workspace"), agent_id: "ada" },
  };
}

/** Stores memories, in this order, in both scopes; new ones unless they are given. */
export async function storeEverywhere(
  api: Api,
  memories: readonly object[],
  scopes: Stored = newScopes(),
): Promise<Stored> {
  for (const scope of [scopes.user, scopes.workspace]) {
    const reply = await api.request.post("/v1/memories/batch").send({ ...scope, memories });
    const { counts } = bodyOf<{ counts: { created: number } }>(reply, 200);
    expect(counts.created).toBe(memories.length);
  }
  return scopes;
}

/** The same from contents alone. */
export async function storeContents(api: Api, ...contents: readonly string[]): Promise<Stored> {
  return await storeEverywhere(
    api,
    contents.map((content) => ({ content })),
  );
}

/** Searches; fails the test unless the answer is 200. */
export async function searchOn(api: Api, surface: GateSurface, stored: Stored, fields: object): Promise<SearchBody> {
  return await searchBy(api, surface.way, { ...stored[surface.partition], ...fields });
}

/** The reply of a search, whatever it is. */
export async function askOn(api: Api, surface: GateSurface, stored: Stored, fields: object): Promise<Response> {
  return await askBy(api, surface.way, { ...stored[surface.partition], ...fields });
}

/** Everything that a surface considers, whatever its relevance, best first; at most 100. */
export async function allOn(api: Api, surface: GateSurface, stored: Stored, query: string): Promise<HitBody[]> {
  return (await searchOn(api, surface, stored, { query, gate_mode: "off", limit: 100 })).memories;
}

/** Contents of what was found, in its order. */
export const contentsInOrder = ({ memories }: SearchBody): string[] => memories.map(({ content }) => content);

/** A decision in one line. */
export const outcomeOf = ({ decision, stage, reason }: DecisionBody): string => `${decision} ${stage} ${reason}`;

/** The smallest number above a positive one. */
export function nextAbove(value: number): number {
  const bits = new BigInt64Array(new Float64Array([value]).buffer);
  bits[0] = (bits[0] ?? 0n) + 1n;
  return new Float64Array(bits.buffer)[0] ?? NaN;
}
