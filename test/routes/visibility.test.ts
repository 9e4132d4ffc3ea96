import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { bodyOf, problemOf, startApi, wrongFields, type Api, type MemoryBody } from "../support/api.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";
import { uniqueName } from "../support/unique-name.js";

let database: TestDatabase;
let api: Api;
const NOW = new Date("2026-03-01T00:00:00Z");

beforeAll(async () => {
  database = await openTestDatabase();
  api = await startApi({ db: database.db, clock: () => NOW });
});

afterAll(async () => {
  await api.close();
  await database.close();
});

interface Scope extends Record<string, string> {
  readonly workspace_id: string;
  readonly agent_id: string;
}

interface Shared {
  readonly author: Scope;
  readonly other: Scope;
  readonly memories: Record<string, MemoryBody>;
}

/** A workspace in which one agent has a memory of each visibility. */
async function storeShared(): Promise<Shared> {
  const workspace_id = uniqueName("workspace");
  const author = { workspace_id, agent_id: "author" };
  const memories: Record<string, MemoryBody> = {};
  for (const visibility of ["workspace", "agent_only", "restricted"]) {
    const fields = { content: `zebra giraffe ${visibility}`, tags: ["t"], external_id: visibility, visibility };
    memories[visibility] = await api.store({ ...author, ...fields });
  }
  return { author, other: { workspace_id, agent_id: "other" }, memories };
}

/** The visibilities of the memories that each reading route shows to a caller. */
async function shownTo(scope: Scope, memories: Record<string, MemoryBody>): Promise<Record<string, unknown>> {
  const all = Object.values(memories);
  const nameOf = (id: string): string => all.find((memory) => memory.id === id)?.visibility ?? id;
  const one = [];
  for (const memory of all) {
    const reply = await api.request.get(`/v1/memories/${memory.id}`).query(scope);
    const history = await api.request.get(`/v1/memories/${memory.id}/history`).query(scope);
    expect(history.status).toBe(reply.status);
    if (reply.status === 200) one.push(nameOf(memory.id));
  }
  const ids = all.map((memory) => memory.id);
  const many = await api.request.post("/v1/memories/get").send({ ...scope, ids });
  const list = await api.request.get("/v1/memories").query(scope);
  const found = await api.search({ ...scope, query: "zebra giraffe", threshold: 0, limit: 100, explain: true });
  const dryRun = { ...scope, dry_run: true };
  const byId = await api.request.post("/v1/memories/delete").send({ ...dryRun, ids });
  const byFilter = await api.request.post("/v1/memories/delete").send({ ...dryRun, filter: { tags_any: ["t"] } });
  const shown = {
    one,
    many: bodyOf<{ memories: (MemoryBody | null)[] }>(many, 200).memories.flatMap((each) => each?.visibility ?? []),
    list: bodyOf<{ memories: MemoryBody[] }>(list, 200).memories.map((each) => nameOf(each.id)),
    search: found.memories.map((each) => nameOf(each.id)),
    decisions: found.filter_decisions?.map((each) => nameOf(each.id)) ?? [],
    byId: bodyOf<{ ids: string[] }>(byId, 200).ids.map(nameOf),
    byFilter: bodyOf<{ ids: string[] }>(byFilter, 200).ids.map(nameOf),
  };
  return Object.fromEntries(Object.entries(shown).map(([route, names]) => [route, names.sort()]));
}

const ROUTES = ["one", "many", "list", "search", "decisions", "byId", "byFilter"];
const each = (names: string[]) => Object.fromEntries(ROUTES.map((route) => [route, names]));

describe("visibility in a workspace", () => {
  it("shows the author everything", async () => {
    const { author, memories } = await storeShared();
    expect(await shownTo(author, memories)).toEqual(each(["agent_only", "restricted", "workspace"]));
  });

  it("shows another agent only what is for the workspace, in every route", async () => {
    const { other, memories } = await storeShared();
    expect(await shownTo(other, memories)).toEqual(each(["workspace"]));
  });

  it("shows nothing of it to an agent of that name in another workspace", async () => {
    const { author, memories } = await storeShared();
    const elsewhere = { ...author, workspace_id: uniqueName("workspace") };
    await api.store({ ...elsewhere, content: "so that the workspace exists", tags: [] });
    expect({ ...(await shownTo(elsewhere, memories)), list: [], search: [], decisions: [] }).toEqual(each([]));
  });

  it("404: another agent can neither change nor delete what it does not see", async () => {
    const { author, other, memories } = await storeShared();
    for (const visibility of ["agent_only", "restricted"]) {
      const path = `/v1/memories/${memories[visibility]?.id ?? ""}`;
      problemOf(await api.request.patch(path).send({ ...other, content: "taken over" }), "not_found");
      problemOf(await api.request.patch(path).send({ ...other, visibility: "workspace" }), "not_found");
      problemOf(await api.request.patch(path).send({ ...other, expected_revision: 9, tags: [] }), "not_found");
      problemOf(await api.request.delete(path).query(other), "not_found");
      problemOf(await api.request.delete(path).set("If-Match", '"9"').query(other), "not_found");
    }
    const ids = Object.values(memories).map((memory) => memory.id);
    const deleted = await api.request.post("/v1/memories/delete").send({ ...other, ids });
    expect(bodyOf<{ ids: string[] }>(deleted, 200).ids).toEqual([memories.workspace?.id]);
    for (const visibility of ["agent_only", "restricted"]) {
      expect(await api.read(memories[visibility]?.id ?? "", author)).toEqual(memories[visibility]);
    }
  });

  it("200: another agent's memory of the same external_id is its own", async () => {
    const { author, other, memories } = await storeShared();
    const own = await api.store({ ...other, content: "own", external_id: "agent_only" });
    expect(own.id).not.toBe(memories.agent_only?.id);
    expect(await api.read(memories.agent_only?.id ?? "", author)).toEqual(memories.agent_only);
    const list = await api.request.get("/v1/memories").query({ ...other, external_id: "agent_only" });
    expect(bodyOf<{ memories: MemoryBody[] }>(list, 200).memories).toEqual([own]);
  });

  it("200: whoever may see a memory may change it, and the author stays", async () => {
    const { other, memories } = await storeShared();
    const path = `/v1/memories/${memories.workspace?.id ?? ""}`;
    const changed = bodyOf<MemoryBody>(await api.request.patch(path).send({ ...other, content: "changed" }), 200);
    expect(changed).toMatchObject({ agent_id: "author", content: "changed", revision: 2 });
  });

  it("200: what is made private is gone for the others at once, and back when it is shared", async () => {
    const { author, other, memories } = await storeShared();
    const path = `/v1/memories/${memories.workspace?.id ?? ""}`;
    bodyOf(await api.request.patch(path).send({ ...author, visibility: "agent_only" }), 200);
    expect(await shownTo(other, memories)).toEqual(each([]));
    bodyOf(await api.request.patch(path).send({ ...author, visibility: null }), 200);
    expect(await shownTo(other, memories)).toEqual(each(["workspace"]));
  });

  it("200: what was private when it was written stays so in the history of a memory that is shared", async () => {
    const { author, other, memories } = await storeShared();
    const { id = "" } = memories.agent_only ?? {};
    const shared = { content: "for all", visibility: "workspace" };
    bodyOf(await api.request.patch(`/v1/memories/${id}`).send({ ...author, ...shared }), 200);
    const revisions = async (scope: Scope): Promise<number[]> => {
      const reply = await api.request.get(`/v1/memories/${id}/history`).query(scope);
      return bodyOf<{ revisions: MemoryBody[] }>(reply, 200).revisions.map((memory) => memory.revision);
    };
    expect(await revisions(author)).toEqual([2, 1]);
    expect(await revisions(other)).toEqual([2]);
  });

  it("200: the history of a restricted memory is open to the agent that its author granted", async () => {
    const { author, other, memories } = await storeShared();
    const { id = "" } = memories.restricted ?? {};
    const path = `/v1/memories/${id}`;
    bodyOf(await api.request.put(`${path}/grants/${other.agent_id}`).query(author), 200);
    const { revisions } = bodyOf<{ revisions: MemoryBody[] }>(
      await api.request.get(`${path}/history`).query(other),
      200,
    );
    expect(revisions.map((memory) => memory.revision)).toEqual([1]);
  });

  it("200: hidden memories change neither the verdict nor the scores that others get", async () => {
    const workspace_id = uniqueName("workspace");
    const [author, other] = [
      { workspace_id, agent_id: "author" },
      { workspace_id, agent_id: "other" },
    ];
    await api.store({ ...author, content: "zebra giraffe", visibility: "agent_only" });
    const empty = await api.search({ ...other, query: "zebra giraffe" });
    expect(empty.gate).toMatchObject({ considered: 0, verdict: "store_empty" });
    await api.store({ ...other, content: "violin cello" });
    const query = { ...other, query: "zebra violin", gate_mode: "off" };
    const before = (await api.search(query)).memories;
    await api.store({ ...author, content: "zebra zebra violin", visibility: "restricted" });
    expect((await api.search(query)).memories).toEqual(before);
  });

  it("400: takes the three visibilities and no other", async () => {
    const scope = { workspace_id: uniqueName("workspace"), agent_id: "a" };
    for (const visibility of ["public", "", "Workspace", 1]) {
      const reply = await api.request.post("/v1/memories").send({ ...scope, content: "x", visibility });
      expect(wrongFields(reply)).toEqual(["visibility"]);
    }
  });
});
