import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const CLI = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));

/**
 * Starts a server on a free port whose data lie in a folder that goes with it. `ready` tells where it listens.
 *
 * @returns {{ ready: Promise<{ url: string, about: string }>, stop: () => Promise<void> }}
 */
export function startServer() {
  const folder = mkdtempSync(path.join(tmpdir(), "memgate-demo-"));
  // An empty variable counts as absent: whatever database is configured, the demo keeps out of it.
  const env = { ...process.env, HOST: "", PORT: "0", DATABASE_URL: "", MIGRATION_DATABASE_URL: "", LOG_LEVEL: "warn" };
  const child = spawn(process.execPath, [CLI, "serve"], {
    cwd: folder,
    env: { ...env, MEMGATE_DATA_DIR: path.join(folder, "data") },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const stop = async () => {
    child.kill("SIGTERM");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  return { ready: announced(child), stop };
}

/**
 * What the server says when it listens.
 *
 * @param {import("node:child_process").ChildProcess} child
 * @returns {Promise<{ url: string, about: string }>}
 */
function announced(child) {
  return new Promise((resolve, reject) => {
    let said = "";
    child.stdout?.setEncoding("utf8").on("data", (text) => {
      said += text;
      const [, url] = /listens at\s+(\S+)\n/.exec(said) ?? [];
      const [, space] = /Embedding space\s+(.+)\n/.exec(said) ?? [];
      if (url !== undefined && space !== undefined) resolve({ url, about: space });
    });
    child.once("exit", (code) => reject(new Error(`the server ended with status ${code} before it listened`)));
  });
}
