import { expect } from "@jest/globals";
import type { Response } from "supertest";
import type { CreatedKey } from "../../src/services/index.js";
import { bearer, type KeyedApi } from "./keyed-api.js";

/** The scope fields of a request. */
export type ScopeFields = Readonly<Record<string, string>>;

/** What tests look at of a memory's wire form. */
export interface MemoryBody {
  readonly id: string;
  readonly revision: number;
  readonly review: string;
  readonly source_memory_ids: string[];
}

/** Whether each way of reading finds a memory. */
export type Found = Readonly<Record<"get" | "history" | "get many" | "list" | "search" | "fast", boolean>>;

/** Every way of reading finds the memory, or none does. */
export function everywhere(value: boolean): Found {
  return { get: value, history: value, "get many": value, list: value, search: value, fast: value };
}

/** Requests about memories with one key. */
export class MemoryClient {
  constructor(
    private readonly api: KeyedApi,
    private readonly key: CreatedKey,
  ) {}

  async post(path: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
    return await this.api.request.post(path).set(bearer(this.key)).set(headers).send(body);
  }

  async patch(path: string, body: object): Promise<Response> {
    return await this.api.request.patch(path).set(bearer(this.key)).send(body);
  }

  async read(scope: ScopeFields, path: string): Promise<Response> {
    return await this.api.request.get(path).set(bearer(this.key)).query(scope);
  }

  async remove(scope: ScopeFields, id: string): Promise<Response> {
    return await this.api.request.delete(`/v1/memories/${id}`).set(bearer(this.key)).query(scope);
  }

  /** Stores a memory that the query `zebra` finds; fails the test unless the answer is 201. */
  async store(scope: ScopeFields, fields: object = {}): Promise<MemoryBody> {
    const reply = await this.post("/v1/memories", { ...scope, content: "zebra", ...fields });
    expect({ status: reply.status, body: reply.body as unknown }).toMatchObject({ status: 201 });
    return reply.body as MemoryBody;
  }

  async review(scope: ScopeFields, id: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
    return await this.post(`/v1/memories/${id}/review`, { ...scope, ...body }, headers);
  }

  /** Kind and revision of every change of the scope. */
  async changes(scope: ScopeFields): Promise<[string, number][]> {
    const { events } = (await this.read(scope, "/v1/changes")).body as { events: { kind: string; revision: number }[] };
    return events.map((event) => [event.kind, event.revision]);
  }

  async found(scope: ScopeFields, id: string): Promise<Found> {
    const query = { ...scope, query: "zebra" };
    return {
      get: (await this.read(scope, `/v1/memories/${id}`)).status === 200,
      history: (await this.read(scope, `/v1/memories/${id}/history`)).status === 200,
      "get many": lists(await this.post("/v1/memories/get", { ...scope, ids: [id] }), id),
      list: lists(await this.read(scope, "/v1/memories"), id),
      search: lists(await this.post("/v1/memories/search", query), id),
      fast: lists(await this.post("/v1/memories/search/fast", query), id),
    };
  }
}

function lists(reply: Response, id: string): boolean {
  return (reply.body as { memories: ({ id: string } | null)[] }).memories.some((memory) => memory?.id === id);
}
