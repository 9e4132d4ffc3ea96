import { sql } from "../../src/db/sql.js";
import type { Call, LocalApi, Reply } from "./local-api.js";
import { uniqueName } from "./unique-name.js";

/** The scope fields of a workspace, as its agent `ada` sends them. */
export type WorkspaceScope = Readonly<Record<"workspace_id" | "agent_id", string>>;

/** A scope of its own with a small history, of every kind of memory that a write may meet. */
export interface History {
  readonly scope: WorkspaceScope;
  readonly scopeId: number;
  readonly ids: {
    /** Has the external id `named`, tags, and a grant for `bob`; only `ada` and `bob` see it. */
    readonly named: string;
    /** Has no vector yet. */
    readonly pending: string;
    readonly source: string;
    /** Derived from `source`. */
    readonly derived: string;
    readonly deleted: string;
  };
}

const OLDER: Readonly<Record<"named" | "source" | "deleted", object>> = {
  named: { content: "tea is served at four", external_id: "named", tags: ["tea", "time"], visibility: "restricted" },
  source: { content: "the harbour closes in winter", tags: ["harbour"], expires_at: "2099-01-01T00:00:00Z" },
  deleted: { content: "an old address" },
};

/** Writes a history through the API, which must answer as it should. */
export async function writeHistory(api: LocalApi): Promise<History> {
  const scope = { workspace_id: uniqueName("workspace"), agent_id: "ada" };
  const post = async (body: object): Promise<string> => {
    return idOf(await expectOk(api, { method: "POST", path: "/v1/memories", body: { ...scope, ...body } }));
  };
  const named = await post(OLDER.named);
  const source = await post(OLDER.source);
  const deleted = await post(OLDER.deleted);
  await expectOk(api, { method: "DELETE", path: `/v1/memories/${deleted}`, query: scope });
  await expectOk(api, { method: "PUT", path: `/v1/memories/${named}/grants/bob`, query: scope });
  const derived = await post({ content: "no ships in winter", source_memory_ids: [source] });
  api.bench.embedder.setDown(true);
  const pending = await post({ content: "waits for its vector" });
  api.bench.embedder.setDown(false);
  return { scope, scopeId: await scopeIdOf(api, scope), ids: { named, pending, source, derived, deleted } };
}

/** Sends a call and fails unless the answer is a success. */
export async function expectOk(api: LocalApi, call: Call): Promise<Reply> {
  const reply = await api.call(call);
  if (reply.status >= 300) throw new Error(`${call.method} ${call.path}: ${String(reply.status)} ${reply.text}`);
  return reply;
}

export function idOf(reply: Reply): string {
  return String(reply.body.id);
}

/** The id of a scope of the default tenant without mission. */
export async function scopeIdOf(
  api: LocalApi,
  scope: { readonly workspace_id?: string; readonly user_id?: string; readonly project?: string },
): Promise<number> {
  const [row] = await api.bench.db.run<{ id: number }>(sql`
    select id
    from scopes
    where tenant_id = ${api.bench.caller.tenantId}::bigint
      and project is not distinct from ${scope.project ?? null}::text
      and mission is null
      and workspace_id is not distinct from ${scope.workspace_id ?? null}::text
      and user_id is not distinct from ${scope.user_id ?? null}::text
  `);
  if (row === undefined) throw new Error("nothing was ever written in this scope");
  return row.id;
}
