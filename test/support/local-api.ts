import { fileURLToPath } from "node:url";
import { createApp } from "../../src/app.js";
import { listen } from "../../src/commands/http-server.js";
import type { Database } from "../../src/db/database.js";
import { openBench, type BenchOptions, type ServiceBench } from "./service-bench.js";

export interface Call {
  readonly method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** A body of lines instead. */
  readonly lines?: string;
  /** The Idempotency-Key. */
  readonly key?: string;
  /** Who acts, in place of `local`. */
  readonly actor?: string;
}

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  /** The body, byte for byte. */
  readonly text: string;
  /** The body, parsed. */
  readonly body: Record<string, unknown>;
  /** `Idempotency-Replayed: true`. */
  readonly replayed: boolean;
}

export interface LocalApi {
  readonly bench: ServiceBench;
  readonly url: string;
  call(call: Call): Promise<Reply>;
  /** Begins to shut down: waiting readers are let go. */
  drain(): void;
  close(): Promise<void>;
}

export interface LocalApiOptions extends BenchOptions {
  /** `silent` where faults of ours are what a test is about; by default they are printed. */
  readonly log?: "silent";
}

/** The API over HTTP in this process, without keys and without background work; replies are checked against their schemas. */
export async function startLocalApi(db: Database, options: LocalApiOptions = {}): Promise<LocalApi> {
  const bench = await openBench(db, options);
  const drain = new AbortController();
  const ignore = (): undefined => undefined;
  const app = createApp({
    services: bench.services,
    authenticate: async (request) => {
      return await Promise.resolve({ ...bench.caller, actor: request.get("x-test-actor") ?? bench.caller.actor });
    },
    checkReplies: true,
    traceEnabled: false,
    drain: drain.signal,
    log: { error: options.log === "silent" ? ignore : print, warn: ignore, debug: ignore },
    docsUiFolder: fileURLToPath(new URL("../../dist/docs-ui", import.meta.url)),
  });
  const server = await listen(app, { host: "127.0.0.1", port: 0 });
  return {
    bench,
    url: server.url,
    call: async (call) => await send(server.url, call),
    drain: () => {
      drain.abort();
    },
    close: async () => {
      drain.abort();
      await server.drain();
    },
  };
}

function print(details: object): void {
  const { err } = details as { err?: unknown };
  process.stderr.write(`${err instanceof Error ? String(err.stack) : JSON.stringify(details)}\n`);
}

/** Sends one call to a server at `url`. */
export async function send(url: string, call: Call): Promise<Reply> {
  const address = new URL(call.path, url);
  for (const [name, value] of Object.entries(call.query ?? {})) address.searchParams.set(name, value);
  const headers: Record<string, string> = {};
  const body = call.lines ?? (call.body === undefined ? undefined : JSON.stringify(call.body));
  if (body !== undefined)
    headers["content-type"] = call.lines === undefined ? "application/json" : "application/x-ndjson";
  if (call.key !== undefined) headers["idempotency-key"] = call.key;
  if (call.actor !== undefined) headers["x-test-actor"] = call.actor;
  const response = await fetch(address, {
    method: call.method,
    headers,
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: JSON.parse(text) as Record<string, unknown>,
    replayed: response.headers.get("idempotency-replayed") === "true",
  };
}
