import { spawn } from "node:child_process";
import { once } from "node:events";

// What CI runs, and what to run before a push. All of it runs even when a step fails, so that one run tells everything.
const CHECKS = ["format:check", "typecheck", "lint", "depcruise", "build", "openapi:check", "schema:check"];
const STEP_LIMIT_MS = 12 * 60 * 1000;

const total = { passed: 0, failed: 0, skipped: 0 };
/** @type {string[]} */
const broken = [];

for (const name of CHECKS) await step(name);
const { output } = await step("test");
// Without a server npm test has run on the embedded database already.
if (!/^test database: embedded/m.test(output)) await step("test:embedded");

if (broken.length > 0) console.error(`ci: failed: ${broken.join(", ")}`);
process.exitCode = broken.length > 0 ? 1 : 0;
console.log(`${String(total.passed)} passed, ${String(total.failed)} failed, ${String(total.skipped)} skipped`);

/**
 * Runs one script of package.json and adds up what its closing line counts; a step that fails without
 * counting failed tests is one failure.
 *
 * @param {string} name
 */
async function step(name) {
  console.log(`ci: npm run ${name}`);
  const started = Date.now();
  const { code, output } = await run("npm", ["run", "--silent", name]);
  const [, passed, failed, skipped] = (/^(\d+) passed, (\d+) failed, (\d+) skipped\s*$/m.exec(output) ?? []).map(
    Number,
  );
  total.passed += passed ?? 0;
  total.skipped += skipped ?? 0;
  total.failed += code === 0 ? 0 : Math.max(failed ?? 0, 1);
  if (code !== 0) broken.push(name);
  console.log(
    `ci: npm run ${name} ${code === 0 ? "passed" : "failed"} after ${String(Math.round((Date.now() - started) / 1000))} s`,
  );
  return { output };
}

/**
 * Runs a program, showing and keeping what it prints; one that hangs is ended with everything that it started.
 *
 * @param {string} program
 * @param {string[]} args
 * @returns {Promise<{ code: number, output: string }>}
 */
async function run(program, args) {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], detached: true });
  const timer = setTimeout(() => {
    console.error(`ci: ended after ${String(STEP_LIMIT_MS / 1000)} s`);
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  }, STEP_LIMIT_MS);
  let output = "";
  for (const [from, to] of /** @type {const} */ ([
    [child.stdout, process.stdout],
    [child.stderr, process.stderr],
  ])) {
    from.setEncoding("utf8").on("data", (/** @type {string} */ text) => {
      output += text;
      to.write(text);
    });
  }
  const [status] = await once(child, "close");
  clearTimeout(timer);
  return { code: Number(status ?? 1), output };
}
