import type { Call } from "../support/local-api.js";
import type { History } from "../support/written-history.js";

/** Every command that writes, as a call on a fresh history. */
export const WRITES: Readonly<Record<string, (history: History) => Omit<Call, "key">>> = {
  "storing a memory": ({ scope }) => post("", { ...scope, content: "a new one", tags: ["a", "b"] }),
  "storing a derived memory": ({ scope, ids }) =>
    post("", { ...scope, content: "harbour and tea", source_memory_ids: [ids.source, ids.derived] }),
  "storing a batch": ({ scope }) =>
    post("/batch", { ...scope, memories: [{ content: "first" }, { content: "second", tags: ["x"] }, NAMED_ANEW] }),
  "replacing by external id": ({ scope }) => post("", { ...scope, ...NAMED_ANEW }),
  "finding a duplicate": ({ scope }) =>
    post("", { ...scope, content: " the harbour  closes in winter", on_duplicate: "return_existing" }),
  "a patch of the content": ({ scope, ids }) => patch(ids.source, { ...scope, content: "the harbour is open" }),
  "a patch of the tags": ({ scope, ids }) => patch(ids.named, { ...scope, tags: ["time", "served"] }),
  "a patch that changes nothing": ({ scope, ids }) => patch(ids.named, { ...scope, external_id: "named" }),
  "a patch of the expiry": ({ scope, ids }) => patch(ids.source, { ...scope, expires_at: "2098-01-01T00:00:00Z" }),
  "deleting a memory": ({ scope, ids }) => ({ method: "DELETE", path: `/v1/memories/${ids.source}`, query: scope }),
  "deleting by ids": ({ scope, ids }) => post("/delete", { ...scope, ids: [ids.named, ids.pending, ids.deleted] }),
  "deleting by filter": ({ scope }) => post("/delete", { ...scope, filter: { tags_any: ["harbour", "tea"] } }),
  "granting sight": ({ scope, ids }) => ({
    method: "PUT",
    path: `/v1/memories/${ids.named}/grants/cleo`,
    query: { ...scope },
  }),
  "taking sight back": ({ scope, ids }) => ({
    method: "DELETE",
    path: `/v1/memories/${ids.named}/grants/bob`,
    query: { ...scope },
  }),
  rejecting: ({ scope, ids }) => post(`/${ids.source}/review`, { ...scope, action: "reject" }),
  approving: ({ scope, ids }) => post(`/${ids.derived}/review`, { ...scope, action: "approve" }),
  "erasing a source, what is derived kept": ({ scope, ids }) =>
    erase({ ...scope, target: { memory_id: ids.source }, derived: "keep" }),
  "erasing a scope": ({ scope }) => erase({ ...scope, target: { scope: true } }),
  importing: ({ scope }) => ({ method: "POST", path: "/v1/import", query: { ...scope }, lines: importLines() }),
};

const NAMED_ANEW = { content: "tea is served at five", external_id: "named", tags: ["five"] };

function erase(body: object): Omit<Call, "key"> {
  return { method: "POST", path: "/v1/erase", body };
}

/** A memory of two revisions, one that is derived from it, a deleted and an erased one. */
function importLines(): string {
  const [at, later] = ["2029-01-01T00:00:00.000Z", "2029-01-02T00:00:00.000Z"];
  const id = (place: number): string => `0190a000-0000-7000-8000-00000000000${String(place)}`;
  const memory = (place: number, more: object): object => ({
    ...{
      kind: "memory",
      id: id(place),
      revision: 1,
      agent_id: "ada",
      created_at: at,
      updated_at: at,
      deleted_at: null,
    },
    ...{ sources: [], grants: [], ...more },
  });
  const revision = (place: number, more: object): object => ({
    ...{ kind: "revision", id: id(place), revision: 1, content_revision: 1, content: "imported", namespace: null },
    ...{
      source_site: null,
      source_url: null,
      session_id: null,
      episode_type: null,
      tags: ["in"],
      importance: 1,
      trust: 1,
    },
    ...{ metadata: {}, event_at: at, expires_at: null, external_id: null, visibility: "workspace", review: "none" },
    ...{ recorded_at: at, ...more },
  });
  const lines = [
    { kind: "memgate_export", version: 1, partition: "workspace" },
    memory(1, { revision: 2, updated_at: later, grants: [{ agent_id: "bob", granted_at: later }] }),
    revision(1, {}),
    revision(1, { revision: 2, content_revision: 2, content: "imported anew", recorded_at: later }),
    memory(2, { sources: [{ id: id(1), content_revision: 2 }] }),
    revision(2, { content: "derived" }),
    memory(3, { revision: 2, updated_at: later, deleted_at: later }),
    revision(3, { content: "gone" }),
    {
      ...{ kind: "memory", id: id(4), revision: 3, created_at: at, updated_at: later, deleted_at: later },
      ...{ erased: true, erased_at: later },
    },
  ];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

function post(path: string, body: object): Omit<Call, "key"> {
  return { method: "POST", path: `/v1/memories${path}`, body };
}

function patch(id: string, body: object): Omit<Call, "key"> {
  return { method: "PATCH", path: `/v1/memories/${id}`, body };
}
