import { spawn } from "node:child_process";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * Starts the built server over a data folder and waits for its first 200 of /health/ready.
 *
 * @param {string} dist
 * @param {string} dataDir
 * @param {Record<string, string>} settings
 */
export async function startServer(dist, dataDir, settings = {}) {
  const started = performance.now();
  const child = spawn(process.execPath, [path.join(dist, "cli.js"), "serve"], {
    // A write waits for all of its vectors, so that a batch's embedding lies within its request.
    env: {
      PATH: process.env.PATH,
      PORT: "0",
      MEMGATE_DATA_DIR: dataDir,
      LOG_LEVEL: "warn",
      WRITE_EMBED_WAIT_MS: "600000",
      ...settings,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  process.once("exit", () => child.kill());
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text) => (said += text));
  while (!said.includes("API documentation")) {
    if (child.exitCode !== null) throw new Error(`the server ended with status ${child.exitCode}`);
    await sleep(5);
  }
  const [, url] = /listens at\s+(\S+)/.exec(said);
  const [, runtime] = /dimensions \((.+)\)/.exec(said);
  while (!(await fetch(`${url}/health/ready`)).ok) await sleep(5);
  const readyMs = performance.now() - started;
  const stop = async () => {
    child.kill("SIGTERM");
    await ended;
  };
  return { url, runtime, readyMs, pid: child.pid, stop };
}
