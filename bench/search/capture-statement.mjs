import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { pino } from "pino";

/**
 * Serves the built code in this process over `db` and notes what its searches ask of the database, so that the same
 * statements can be run without the server. `dist`: URL of the folder of the compiled code.
 *
 * @param {import("../../src/db/database.ts").Database} db
 * @param {Record<string, string>} settings
 */
export async function startCapturing(dist, db, settings) {
  const load = (file) => import(new URL(file, dist).href);
  const [{ compose }, { loadConfig }, { createApp }, { prepareAuthentication }] = await Promise.all(
    ["compose.js", "config.js", "app.js", "commands/authentication.js"].map(load),
  );
  const log = pino({ level: "silent" });
  const statements = [];
  const system = await compose(loadConfig(settings), log, { db: watch(db, statements) });
  const app = createApp({
    services: system.services,
    authenticate: await prepareAuthentication("none", system),
    checkReplies: false,
    traceEnabled: false,
    drain: new AbortController().signal,
    log,
    docsUiFolder: fileURLToPath(new URL("docs-ui", dist)),
    allowedHosts: "loopback",
  });
  const server = createServer(app);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    /** The scorer's statement of the requests that `work` makes: the longest of those within the scope. */
    async during(work) {
      statements.length = 0;
      await work();
      const length = ({ statement }) => statement.parts.join("").length;
      return [...statements].sort((a, b) => length(b) - length(a))[0];
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await system.close();
    },
  };
}

/** The database, with every statement that is run within a scope noted down. */
function watch(db, statements) {
  const inScope = (scopeId) => {
    const scoped = db.inScope(scopeId);
    const noting = (target) => ({
      run: async (statement) => {
        statements.push({ scopeId, statement });
        return await target.run(statement);
      },
    });
    return {
      ...noting(scoped),
      transaction: (work) => scoped.transaction((tx) => work(new Proxy(tx, { get: override(noting(tx)) }))),
      snapshot: (work) => scoped.snapshot((tx) => work(new Proxy(tx, { get: override(noting(tx)) }))),
    };
  };
  return new Proxy(db, { get: override({ inScope }) });
}

function override(own) {
  return (target, name) => {
    if (name in own) return own[name];
    const member = Reflect.get(target, name, target);
    return typeof member === "function" ? member.bind(target) : member;
  };
}
