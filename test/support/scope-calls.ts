import { verifyScope } from "../../src/services/verify.js";
import type { LocalApi, Reply } from "./local-api.js";
import { expectOk, idOf, scopeIdOf } from "./written-history.js";

export interface ScopeFields {
  readonly user_id?: string;
  readonly workspace_id?: string;
  readonly agent_id?: string;
  readonly project?: string;
}

/** What tests of erasure ask of an API, again and again. */
export class ScopeCalls {
  constructor(private readonly api: LocalApi) {}

  /** Stores a memory, which has to succeed; resolves with its id. */
  async store(scope: ScopeFields, fields: object, key?: string): Promise<string> {
    const call = { method: "POST", path: "/v1/memories", body: { ...scope, ...fields } } as const;
    return idOf(await expectOk(this.api, key === undefined ? call : { ...call, key }));
  }

  async erase(body: object, key?: string): Promise<Reply> {
    const call = { method: "POST", path: "/v1/erase", body } as const;
    return await this.api.call(key === undefined ? call : { ...call, key });
  }

  /** Contents of the current memories, in order. */
  async contents(scope: ScopeFields): Promise<string[]> {
    const { body } = await expectOk(this.api, { method: "GET", path: "/v1/memories", query: { ...scope } });
    return (body.memories as { content: string }[]).map((memory) => memory.content).sort();
  }

  /** The status with which a memory is read. */
  async status(scope: ScopeFields, id: string): Promise<number> {
    return (await this.api.call({ method: "GET", path: `/v1/memories/${id}`, query: { ...scope } })).status;
  }

  /** What verify names of a scope without project. */
  async disagreements(scope: ScopeFields): Promise<unknown[]> {
    return await verifyScope({ db: this.api.bench.db }, await scopeIdOf(this.api, scope));
  }

  /** Kind, memory and revision of each event. */
  async events(scope: ScopeFields): Promise<[string, string, number][]> {
    const query = { ...scope, limit: "256" };
    const { body } = await expectOk(this.api, { method: "GET", path: "/v1/changes", query });
    const events = body.events as { kind: string; memory_id: string; revision: number }[];
    return events.map((event) => [event.kind, event.memory_id, event.revision]);
  }
}
