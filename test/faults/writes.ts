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
};

const NAMED_ANEW = { content: "tea is served at five", external_id: "named", tags: ["five"] };

function post(path: string, body: object): Omit<Call, "key"> {
  return { method: "POST", path: `/v1/memories${path}`, body };
}

function patch(id: string, body: object): Omit<Call, "key"> {
  return { method: "PATCH", path: `/v1/memories/${id}`, body };
}
