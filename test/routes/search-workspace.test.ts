import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { bodyOf, startApi, wrongFields, type Api } from "../support/api.js";
import { askBy, consideredBy, searchBy, WAYS, type Way } from "../support/search-calls.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";
import { uniqueName } from "../support/unique-name.js";

let database: TestDatabase;
let api: Api;
let now = new Date("2026-03-01T00:00:00.000Z");
const LATER = new Date("2026-03-02T00:00:00.000Z");

const AGENTS = ["ada", "bob", "cy"] as const;
type Agent = (typeof AGENTS)[number];
const VISIBILITIES = ["workspace", "agent_only", "restricted"] as const;

interface Written {
  readonly id: string;
  readonly author: Agent;
  readonly content: string;
  readonly visibility: (typeof VISIBILITIES)[number];
  readonly granted: readonly Agent[];
}

const workspace_id = uniqueName("workspace");
const written: Written[] = [];

beforeAll(async () => {
  database = await openTestDatabase();
  api = await startApi({ db: database.db, clock: () => now });
  for (const author of AGENTS) {
    for (const visibility of VISIBILITIES) {
      const content = `harp of ${author}, ${visibility === "workspace" ? "piano piano" : visibility}`;
      const { id } = await api.store({ workspace_id, agent_id: author, content, visibility, tags: [visibility] });
      const granted = visibility === "restricted" && author !== "cy" ? (["cy"] as const) : [];
      for (const grantee of granted) {
        const reply = await api.request
          .put(`/v1/memories/${id}/grants/${grantee}`)
          .query({ workspace_id, agent_id: author });
        bodyOf(reply, 200);
      }
      written.push({ id, author, content, visibility, granted });
    }
  }
  now = LATER;
});

afterAll(async () => {
  await api.close();
  await database.close();
});

function visibleTo(viewer: Agent): Written[] {
  return written.filter(
    ({ author, visibility, granted }) =>
      visibility === "workspace" || author === viewer || (visibility === "restricted" && granted.includes(viewer)),
  );
}

type AgentScope = "all" | "self" | "others" | readonly string[] | undefined;
const AGENT_SCOPES: readonly AgentScope[] = [
  ...([undefined, "all", "self", "others", ["ada"], ["bob", "cy"]] as const),
  ...([["ada", "ada", "nobody"], ["nobody"], ["ADA"], ["self"]] as const),
];

function among(viewer: Agent, scope: AgentScope): (memory: Written) => boolean {
  if (scope === undefined || scope === "all") return () => true;
  if (scope === "self") return ({ author }) => author === viewer;
  if (scope === "others") return ({ author }) => author !== viewer;
  return ({ author }) => scope.includes(author);
}

const sorted = (ids: readonly string[]): string[] => [...ids].sort();
const TIMES = [undefined, LATER.toISOString()];

describe.each(WAYS.flatMap((way) => TIMES.map((as_of) => ({ way, as_of }))))(
  "agent_scope, $way, as of $as_of",
  ({ way, as_of }) => {
    it.each(AGENT_SCOPES)(
      "200: %j finds those agents' memories, and of them what the caller may see",
      async (scope) => {
        for (const viewer of AGENTS) {
          const asked = { workspace_id, agent_id: viewer, query: "harp", agent_scope: scope, as_of };
          const expected = visibleTo(viewer).filter(among(viewer, scope));
          const considered = await consideredBy(api, way, asked);
          expect(sorted(considered.map((each) => each.id))).toEqual(sorted(expected.map((each) => each.id)));
          const found = await searchBy(api, way, { ...asked, threshold: 0, limit: 100 });
          expect(sorted(found.memories.map((each) => each.content))).toEqual(
            sorted(expected.map((each) => each.content)),
          );
          expect(found.gate.verdict).toBe(expected.length > 0 ? "relevant" : "nothing_relevant");
        }
      },
    );

    it("200: goes together with other filters", async () => {
      const asked = { workspace_id, agent_id: "cy", query: "harp", as_of };
      const restricted = { agent_scope: "others", tags_all: ["restricted"] };
      const found = await consideredBy(api, way, { ...asked, ...restricted });
      expect(sorted(found.map((each) => each.id))).toEqual(
        sorted(written.filter(({ granted }) => granted.includes("cy")).map((each) => each.id)),
      );
      const named = { agent_scope: ["ada", "bob"], filter: { agent_id: "bob", visibility: { ne: "restricted" } } };
      const [one, ...more] = await consideredBy(api, way, { ...asked, ...named });
      expect(more).toEqual([]);
      expect(written.find(({ id }) => id === one?.id)).toMatchObject({ author: "bob", visibility: "workspace" });
    });
  },
);

/** BM25 and relevance by content. */
async function scoresOf(way: Way, asked: object): Promise<unknown[]> {
  const found = await searchBy(api, way, { query: "harp piano", gate_mode: "off", limit: 100, ...asked });
  return found.memories.map(({ content, lexical_score, relevance }) => [content, lexical_score, relevance]).sort();
}

async function copyOf(memories: readonly Written[]): Promise<string> {
  const copy = uniqueName("workspace");
  for (const { content, author: agent_id } of memories) await api.store({ workspace_id: copy, agent_id, content });
  return copy;
}

describe("the statistics of a workspace", () => {
  it.each(WAYS)("200: are those of what the caller may see: %s", async (way) => {
    for (const agent_id of AGENTS) {
      const visible = await copyOf(visibleTo(agent_id));
      const expected = await scoresOf(way, { workspace_id: visible, agent_id });
      expect(await scoresOf(way, { workspace_id, agent_id })).toEqual(expected);
      expect(await scoresOf(way, { workspace_id, agent_id, as_of: now.toISOString() })).toEqual(expected);
    }
  });

  it.each(WAYS)("200: for BM25 only of the agents asked for, and for relevance of all: %s", async (way) => {
    const asked = { workspace_id, agent_id: "cy", agent_scope: ["ada"] };
    const ada = visibleTo("cy").filter(({ author }) => author === "ada");
    const [found, all] = [await scoresOf(way, asked), await scoresOf(way, { workspace_id, agent_id: "cy" })];
    const alone = await scoresOf(way, { workspace_id: await copyOf(ada), agent_id: "cy" });
    const [bm25, relevance] = [1, 2].map((at) => (rows: unknown[]) => rows.map((row) => (row as unknown[])[at]));
    expect(found).toHaveLength(2);
    expect(bm25?.(found)).toEqual(bm25?.(alone));
    const contents = ada.map(({ content }) => content);
    const same = all.filter((row) => contents.includes((row as string[])[0] ?? ""));
    expect(relevance?.(found)).toEqual(relevance?.(same));
  });

  it.each(WAYS)("200: call a workspace empty for whom nothing in it is meant: %s", async (way) => {
    const scope = { workspace_id: uniqueName("workspace") };
    await api.store({ ...scope, agent_id: "ada", content: "harp", visibility: "agent_only" });
    await api.store({ ...scope, agent_id: "ada", content: "harp", visibility: "restricted" });
    for (const more of [{}, { agent_scope: ["ada"] }, { agent_scope: "others" }, { as_of: now.toISOString() }]) {
      const { gate } = await searchBy(api, way, { ...scope, agent_id: "bob", query: "harp", ...more });
      expect(gate).toMatchObject({ considered: 0, kept: 0, verdict: "store_empty" });
    }
    const { gate } = await searchBy(api, way, { ...scope, agent_id: "ada", query: "harp", agent_scope: "others" });
    expect(gate).toMatchObject({ considered: 0, kept: 0, verdict: "nothing_relevant" });
  });
});

describe.each(WAYS)("400: agent_scope in the search %s", (way) => {
  it.each([
    ["an empty list", []],
    ["an unknown word", "none"],
    ["another case", "Self"],
    ["257 agents", Array.from({ length: 257 }, (_, n) => `a${String(n)}`)],
    ["null", null],
    ["a number", 1],
    ["an object", { among: ["ada"] }],
  ])("is not %s", async (_, agent_scope) => {
    const body = { workspace_id, agent_id: "ada", query: "harp", agent_scope };
    expect(wrongFields(await askBy(api, way, body))).toEqual(["agent_scope"]);
  });

  it.each([
    ["an empty name", [""], "agent_scope[0]"],
    ["a name with a NUL", ["ada", "a\u0000"], "agent_scope[1]"],
    ["a name of 257 bytes", ["x".repeat(257)], "agent_scope[0]"],
    ["a number", ["ada", 7], "agent_scope"],
  ])("names no agent by %s", async (_, agent_scope, field) => {
    const body = { workspace_id, agent_id: "ada", query: "harp", agent_scope };
    expect(wrongFields(await askBy(api, way, body))).toEqual([field]);
  });

  it("does not go with user_id", async () => {
    for (const agent_scope of ["all", "self", ["ada"]]) {
      for (const more of [{}, { agent_id: "ada" }]) {
        const body = { user_id: "u", ...more, query: "harp", agent_scope };
        expect(wrongFields(await askBy(api, way, body))).toEqual(["agent_scope"]);
      }
    }
  });

  it("takes 256 agents", async () => {
    const agent_scope = Array.from({ length: 256 }, (_, n) => (n === 0 ? "ada" : `a${String(n)}`));
    const found = await searchBy(api, way, { workspace_id, agent_id: "bob", query: "harp", agent_scope });
    expect(found.count).toBe(1);
  });
});
