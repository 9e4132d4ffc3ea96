import { fileURLToPath } from "node:url";
import { expect } from "@jest/globals";
import { pino } from "pino";
import supertest, { type Response } from "supertest";
import type { z } from "zod";
import { createApp } from "../../src/app.js";
import { listen } from "../../src/commands/http-server.js";
import { compose, type Composition } from "../../src/compose.js";
import { loadConfig } from "../../src/config.js";
import type { Database } from "../../src/db/database.js";
import type { Embedder } from "../../src/embeddings/embedder.js";
import { Problem, STATUS_BY_CODE } from "../../src/routes/problem.js";
import type { MemoryReply } from "../../src/routes/schemas/memory.js";
import type { DecisionReply, HitReply, SearchReply } from "../../src/routes/schemas/search.js";
import { WordEmbedder } from "./word-embedder.js";

export type MemoryBody = z.output<typeof MemoryReply>;
export type SearchBody = z.output<typeof SearchReply>;
export type HitBody = z.output<typeof HitReply>;
export type DecisionBody = z.output<typeof DecisionReply>;
export type ProblemBody = z.output<typeof Problem>;

export interface ApiOptions {
  readonly db: Database;
  readonly embedder?: Embedder;
  /** Embedders of other spaces. */
  readonly otherEmbedders?: readonly Embedder[];
  readonly clock?: () => Date;
  /** Settings as environment variables. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface Api {
  /** supertest on the running server. */
  readonly request: ReturnType<typeof supertest>;
  readonly url: string;
  readonly system: Composition;
  /** What the edge logged as an error. */
  readonly logged: { readonly details: object; readonly message: string }[];
  /** Stores a memory; fails the test unless the answer is 201. */
  store(fields: object): Promise<MemoryBody>;
  /** Searches; fails the test unless the answer is 200. */
  search(fields: object): Promise<SearchBody>;
  /** Reads a memory; fails the test unless the answer is 200. */
  read(id: string, scope: Readonly<Record<string, string>>): Promise<MemoryBody>;
  close(): Promise<void>;
}

/** The whole server in this process, over HTTP: every reply is checked against its route's schema. */
export async function startApi(options: ApiOptions): Promise<Api> {
  const { db, embedder = new WordEmbedder(), otherEmbedders = [], clock, env } = options;
  const config = loadConfig({ ...env });
  const given = { db, embedder, otherEmbedders };
  const overrides = clock === undefined ? given : { ...given, clock };
  const system = await compose(config, pino({ level: "silent" }), overrides);
  const logged: { details: object; message: string }[] = [];
  const app = createApp({
    services: system.services,
    authenticate: async () => await Promise.resolve(system.localCaller),
    checkReplies: true,
    traceEnabled: config.RETRIEVAL_TRACE_ENABLED,
    drain: new AbortController().signal,
    log: { error: (details, message) => void logged.push({ details, message }), warn: ignore, debug: ignore },
    docsUiFolder: fileURLToPath(new URL("../../dist/docs-ui", import.meta.url)),
  });
  const server = await listen(app, { host: "127.0.0.1", port: 0 });
  const request = supertest(server.url);
  return {
    request,
    url: server.url,
    system,
    logged,
    store: async (fields) => bodyOf<MemoryBody>(await request.post("/v1/memories").send(fields), 201),
    search: async (fields) => bodyOf<SearchBody>(await request.post("/v1/memories/search").send(fields), 200),
    read: async (id, scope) => bodyOf<MemoryBody>(await request.get(`/v1/memories/${id}`).query(scope), 200),
    close: async () => {
      await server.drain();
      await system.close();
    },
  };
}

/** The body of a reply; fails the test, showing the body, when the status is another one. */
// The caller says what it has asked for.
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters
export function bodyOf<Body>(response: Response, status: number): Body {
  const body = response.body as unknown;
  expect({ status: response.status, body }).toEqual({ status, body });
  return body as Body;
}

/** The problem of an error reply, with its form, its status and its request id checked. */
export function problemOf(response: Response, code: keyof typeof STATUS_BY_CODE): ProblemBody {
  const problem = bodyOf<ProblemBody>(response, STATUS_BY_CODE[code]);
  expect(problem).toMatchObject({ code, status: response.status, type: `urn:memgate:problem:${code}` });
  expect(response.headers["content-type"]).toBe("application/problem+json; charset=utf-8");
  expect(problem.request_id).toBe(response.headers["x-request-id"]);
  return Problem.parse(problem);
}

/** The paths of the fields that an `invalid_request` names. */
export function wrongFields(response: Response): string[] {
  return (problemOf(response, "invalid_request").errors ?? []).map((error) => error.path);
}

function ignore(): void {
  return undefined;
}
