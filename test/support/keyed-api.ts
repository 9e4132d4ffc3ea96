import { Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { pino } from "pino";
import supertest, { type Response } from "supertest";
import { createApp } from "../../src/app.js";
import { logError } from "../../src/commands/log-error.js";
import { listen } from "../../src/commands/http-server.js";
import { compose } from "../../src/compose.js";
import { loadConfig } from "../../src/config.js";
import { CAPABILITIES, type Capability, type Grants } from "../../src/core/access.js";
import type { Database } from "../../src/db/database.js";
import { sql } from "../../src/db/sql.js";
import { authenticateByKey } from "../../src/routes/authenticate.js";
import { localCaller, type CreatedKey, type Services } from "../../src/services/index.js";
import { uniqueName } from "./unique-name.js";
import { WordEmbedder } from "./word-embedder.js";

export interface KeyedApi {
  readonly request: ReturnType<typeof supertest>;
  readonly url: string;
  readonly services: Services;
  /** Every line that was logged, at every level. */
  readonly logged: string[];
  /** A tenant of the test's own. */
  tenant(): Promise<TestTenant>;
  close(): Promise<void>;
}

export interface TestTenant {
  readonly id: number;
  readonly name: string;
  /** Makes a key of this tenant; without capabilities it has all of them. */
  key(capabilities?: readonly Capability[], grants?: Grants): Promise<CreatedKey>;
}

/** The whole server in this process, asking for keys; every reply is checked against its route's schema. */
export async function startKeyedApi(db: Database): Promise<KeyedApi> {
  const logged: string[] = [];
  const write = (line: unknown, _encoding: string, done: () => void): void => {
    logged.push(String(line));
    done();
  };
  const log = pino({ level: "trace", serializers: { err: logError } }, new Writable({ write }));
  const system = await compose(loadConfig({}), log, { db, embedder: new WordEmbedder() });
  const { services } = system;
  const app = createApp({
    services,
    authenticate: authenticateByKey(services),
    checkReplies: true,
    traceEnabled: false,
    drain: new AbortController().signal,
    log,
    docsUiFolder: fileURLToPath(new URL("../../dist/docs-ui", import.meta.url)),
  });
  const server = await listen(app, { host: "127.0.0.1", port: 0 });
  return {
    request: supertest(server.url),
    url: server.url,
    services,
    logged,
    tenant: async () => await makeTenant(db, services),
    close: async () => {
      await server.drain();
      await system.close();
    },
  };
}

async function makeTenant(db: Database, services: Services): Promise<TestTenant> {
  const name = uniqueName("tenant");
  const [row] = await db.run<{ id: number }>(sql`insert into tenants (name) values (${name}::text) returning id`);
  const caller = localCaller(row!.id);
  return {
    id: row!.id,
    name,
    key: async (capabilities = CAPABILITIES, grants = {}) =>
      await services.createKey(caller, { name: "test", capabilities, grants }),
  };
}

/** The header of a key. */
export function bearer({ key }: { readonly key: string }): Record<string, string> {
  return { Authorization: `Bearer ${key}` };
}

/** Status and code of an error reply, with the fields that it names. */
export function refusal(response: Response): { status: number; code: unknown; fields: string[] } {
  const problem = response.body as { code?: unknown; errors?: { path: string }[] };
  return { status: response.status, code: problem.code, fields: (problem.errors ?? []).map((error) => error.path) };
}
