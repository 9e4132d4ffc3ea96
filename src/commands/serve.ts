import { fileURLToPath } from "node:url";
import type { Logger } from "pino";
import { createApp } from "../app.js";
import { compose, type Composition } from "../compose.js";
import { loadConfig, type Config } from "../config.js";
import { authMode, isLoopback, type AuthMode } from "../config-auth.js";
import { prepareAuthentication } from "./authentication.js";
import { listen, type Listening } from "./http-server.js";
import { createLogger } from "./logger.js";
import { exitCodeOf, stopSignal } from "./stop-signal.js";

/** How long requests in flight may take to finish after SIGTERM, in ms. */
const DRAIN_MS = 30_000;

/** How long a start that is no longer wanted may take to come to a clean end, in ms. */
const START_MS = 3_000;

const DOCS_UI = fileURLToPath(new URL("../docs-ui", import.meta.url));

/** `memgate serve`: starts the API and runs until SIGTERM or SIGINT. */
export async function serve(): Promise<void> {
  const config = loadConfig();
  const mode = authMode(config);
  const log = createLogger(config);
  const stopped = stopSignal();
  const system = await composeUnlessStopped(config, log, stopped);
  if (system === undefined) return;
  const drain = new AbortController();
  const server = await startEdge(mode, system, { config, log, drain: drain.signal }).catch(async (error: unknown) => {
    await system.close();
    throw error;
  });
  system.lock?.publish(server.localUrl);
  announce(config, system, server);

  const signal = await stopped;
  log.info({ signal }, "shutting down: requests in flight may finish");
  drain.abort();
  await shutDown(server, system, log);
}

interface EdgeSettings {
  readonly config: Config;
  readonly log: Logger;
  readonly drain: AbortSignal;
}

async function startEdge(mode: AuthMode, system: Composition, settings: EdgeSettings): Promise<Listening> {
  const { config, log, drain } = settings;
  const app = createApp({
    services: system.services,
    authenticate: await prepareAuthentication(mode, system),
    checkReplies: false,
    traceEnabled: config.RETRIEVAL_TRACE_ENABLED,
    drain,
    log,
    docsUiFolder: DOCS_UI,
    allowedHosts: isLoopback(config.HOST) ? "loopback" : "any",
  });
  return await listen(app, { host: config.HOST, port: config.PORT });
}

/**
 * A signal that comes before the server listens lets the start come to its end and undoes it: one that is cut off
 * could leave the lease of a migration behind. It is cut off all the same when it takes long.
 */
async function composeUnlessStopped(
  config: Config,
  log: Logger,
  stopped: Promise<NodeJS.Signals>,
): Promise<Composition | undefined> {
  const starting = compose(config, log);
  const signal = await Promise.race([stopped, starting.then(() => undefined)]);
  if (signal === undefined) return await starting;
  log.info({ signal }, "shutting down before the start is complete");
  const deadline = setTimeout(() => process.exit(exitCodeOf(signal)), START_MS);
  const system = await starting.catch(() => undefined);
  await system?.close();
  clearTimeout(deadline);
  return undefined;
}

async function shutDown(server: Listening, system: Composition, log: Logger): Promise<void> {
  const deadline = setTimeout(() => {
    log.error("requests were still running after the time to drain: stopping without them");
    process.exit(1);
  }, DRAIN_MS);
  await server.drain();
  await system.close();
  clearTimeout(deadline);
  log.info("stopped");
}

function announce(config: Config, system: Composition, server: Listening): void {
  const { space: configured, served } = system.spaces;
  const { runtime } = system.embedder;
  const lines = [
    `Memgate listens at   ${server.url}`,
    `Database             ${system.db.description}`,
    `Embedding space      ${nameOf(configured)} (${runtime})${configured.id === served.id ? "" : ", being filled"}`,
    ...(configured.id === served.id ? [] : [`Served space         ${nameOf(served)}`]),
    `API keys             ${authMode(config) === "keys" ? "asked for" : "not asked for: whoever is on this machine may do everything"}`,
    `API documentation    ${server.localUrl}/docs`,
  ];
  if (config.DATABASE_URL === undefined) {
    lines.push(
      "The embedded database serves one process and some 10,000 memories; a power loss may lose the last writes.",
      "Set DATABASE_URL to a Postgres with pgvector for more.",
    );
  }
  process.stdout.write(`${lines.join("\n")}\n`);
}

function nameOf({ identity }: Composition["spaces"]["served"]): string {
  return `${identity.provider} ${identity.model}, ${String(identity.dimensions)} dimensions`;
}
