import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it, jest } from "@jest/globals";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const CONFIG = path.join(ROOT, ".dependency-cruiser.cjs");

interface Violation {
  readonly rule: { readonly name: string };
  readonly from: string;
}

interface LintMessage {
  readonly line: number;
  readonly message: string;
}

const DEPENDENCIES = ["pg", "express", "onnxruntime-node", "wink-porter2-stemmer", "zod"];
const DEV_DEPENDENCIES = ["jest"];
const UNDECLARED = ["left-pad"];

/** A small tree that keeps every rule. */
const CLEAN: Record<string, string> = {
  "src/cli.ts": `import "./commands/serve.js";`,
  "src/commands/serve.ts": `import "../compose.js"; import "../app.js"; import "../config.js";`,
  "src/index.ts": `import "./embeddings/local.js";`,
  "src/config.ts": `import "zod"; import "./core/words.js";`,
  "src/compose.ts": `import "./config.js"; import "./services/index.js"; import "./db/client.js";`,
  "src/app.ts": `import "express"; import "./routes/search.js"; import "./jobs/drain.js"; import "./eval/measure.js";`,
  "src/routes/search.ts": `import "express"; import "../services/index.js"; import "./problem.js";`,
  "src/routes/problem.ts": `import "../core/words.js";`,
  "src/jobs/drain.ts": `import "../services/index.js";`,
  "src/eval/measure.ts": `import "../services/index.js";`,
  "src/services/index.ts": `import "./search.js";`,
  "src/services/search.ts": `import "../db/client.js"; import "../embeddings/local.js";`,
  "src/db/client.ts": `import "pg"; import "../core/words.js";`,
  "src/embeddings/local.ts": `import "onnxruntime-node"; import "../core/words.js";`,
  "src/core/words.ts": `import "node:crypto"; import "wink-porter2-stemmer";`,
  "test/support.ts": ``,
};

/** For each rule a file that breaks it. */
const PLANTED: Record<string, readonly [file: string, text: string]> = {
  "commands-imports-downward": ["src/commands/planted.ts", `import "../cli.js";`],
  "composition-imports-downward": ["src/planted.ts", `import "./commands/serve.js";`],
  "edges-imports-downward": ["src/jobs/upward.ts", `import "../compose.js";`],
  "services-imports-downward": ["src/services/upward.ts", `import type { Reply } from "../routes/search.js";`],
  "adapters-imports-downward": ["src/db/upward.ts", `import "../services/search.js";`],
  "core-imports-downward": ["src/core/upward.ts", `import "../db/client.js";`],
  "edges-stay-apart": ["src/routes/sideways.ts", `import "../jobs/drain.js";`],
  "adapters-stay-apart": ["src/embeddings/sideways.ts", `import "../db/client.js";`],
  "services-through-index": ["src/routes/past-index.ts", `import "../services/search.js";`],
  "edges-leave-data-to-services": ["src/eval/past-services.ts", `import "../db/client.js";`],
  "config-only-at-the-top": ["src/services/configured.ts", `import "../config.js";`],
  "postgres-only-in-db": ["src/services/driver.ts", `import type { Pool } from "pg";`],
  "express-only-at-the-http-edge": ["src/services/http.ts", `import "express";`],
  "models-only-in-embeddings": ["src/services/model.ts", `await import("onnxruntime-node");`],
  "core-without-io": ["src/core/files.ts", `import "node:fs/promises";`],
  "core-with-pure-packages": ["src/core/schema.ts", `import "zod";`],
  "public-entry-for-others": ["src/services/through-entry.ts", `import "../index.js";`],
  "public-entry-shows-the-pipeline": ["src/index.ts", `import "./services/search.js";`],
  "src-alone": ["src/services/tested.ts", `import "../../test/support.js";`],
  "no-dev-dependencies": ["src/services/dev.ts", `import "jest";`],
  "no-undeclared-packages": ["src/services/undeclared.ts", `import "left-pad";`],
  "no-unresolvable": ["src/services/nowhere.ts", `import "./nothing-here.js";`],
  "no-circular": ["src/core/circle.ts", `import "./circle.js";`],
  "no-orphans": ["src/services/alone.ts", `export const alone = 1;`],
};

/** Each test starts a tool of its own, and a busy machine takes its time over that. */
jest.setTimeout(120_000);

describe("dependency rules", () => {
  let violations: Violation[];

  beforeAll(async () => {
    violations = await cruise({ ...CLEAN, ...Object.fromEntries(Object.values(PLANTED)) });
  });

  it("let a tree pass that keeps them", async () => {
    expect(await cruise(CLEAN)).toEqual([]);
  });

  it.each(Object.entries(PLANTED))("%s fires", (rule, [file]) => {
    expect(violations).toContainEqual(
      expect.objectContaining({ rule: expect.objectContaining({ name: rule }), from: file }),
    );
  });

  it("have all been seen to fire", () => {
    const { forbidden } = createRequire(import.meta.url)(CONFIG) as { forbidden: { name: string }[] };
    expect(forbidden.map(({ name }) => name).sort()).toEqual(Object.keys(PLANTED).sort());
  });
});

describe("lint rules", () => {
  const READERS = [
    `export const member = process.env.HOME;`,
    `export const { env } = process;`,
    `export { env as imported } from "node:process";`,
    `export const global = globalThis.process.env.HOME;`,
  ];

  it("the environment is read in src/config.ts and nowhere else, in whatever way", async () => {
    const [inCore, inConfig] = await Promise.all([
      lint("src/services/planted.ts", READERS.join("\n")),
      lint("src/config.ts", READERS[0]!),
    ]);
    const found = inCore.filter(({ message }) => message.includes("Only src/config.ts reads the environment"));
    expect([...new Set(found.map(({ line }) => line))]).toEqual([1, 2, 3, 4]);
    expect(inConfig).toEqual([]);
  });
});

/** The violations that dependency-cruiser finds in these files, under this project's own rules. */
async function cruise(files: Record<string, string>): Promise<Violation[]> {
  const folder = await mkdtemp(path.join(tmpdir(), "memgate-rules-"));
  try {
    await plant(folder, { ...files, ...packageFiles() });
    const args = ["src", "--config", CONFIG, "--output-type", "json"];
    const output = await run("dependency-cruiser/bin/dependency-cruise.mjs", args, { cwd: folder });
    return (JSON.parse(output) as { summary: { violations: Violation[] } }).summary.violations;
  } finally {
    await rm(folder, { recursive: true });
  }
}

function packageFiles(): Record<string, string> {
  const files: Record<string, string> = {
    "tsconfig.json": `{ "compilerOptions": { "module": "NodeNext", "moduleResolution": "NodeNext" } }`,
    "package.json": JSON.stringify({
      type: "module",
      dependencies: Object.fromEntries(DEPENDENCIES.map((name) => [name, "1.0.0"])),
      devDependencies: Object.fromEntries(DEV_DEPENDENCIES.map((name) => [name, "1.0.0"])),
    }),
  };
  for (const name of [...DEPENDENCIES, ...DEV_DEPENDENCIES, ...UNDECLARED]) {
    files[`node_modules/${name}/package.json`] = JSON.stringify({ name, version: "1.0.0", main: "index.js" });
    files[`node_modules/${name}/index.js`] = "";
  }
  return files;
}

async function plant(folder: string, files: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), text);
  }
}

/** What eslint says of `text` in the place of `file`; without the rules that need types, which take long to set up. */
async function lint(file: string, text: string): Promise<LintMessage[]> {
  const folder = await mkdtemp(path.join(tmpdir(), "memgate-rules-"));
  try {
    const untyped = path.join(folder, "eslint.config.mjs");
    await writeFile(
      untyped,
      `import config from "${path.join(ROOT, "eslint.config.js")}";
       import tseslint from "${path.join(ROOT, "node_modules/typescript-eslint/dist/index.js")}";
       export default [...config, tseslint.configs.disableTypeChecked];`,
    );
    const args = ["--config", untyped, "--stdin", "--stdin-filename", file, "--format", "json"];
    const output = await run("eslint/bin/eslint.js", args, { cwd: ROOT, input: text });
    return (JSON.parse(output) as { messages: LintMessage[] }[]).flatMap(({ messages }) => messages);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Output of a program of node_modules; that it finds something wrong is no error here. */
async function run(
  program: string,
  args: string[],
  { cwd, input = "" }: { cwd: string; input?: string },
): Promise<string> {
  return await new Promise((resolve, reject) => {
    const child = execFile(
      process.execPath,
      [path.join(ROOT, "node_modules", program), ...args],
      { cwd },
      (_, out, err) => {
        if (out === "" && err !== "") reject(new Error(err));
        else resolve(out);
      },
    );
    child.stdin?.end(input);
  });
}
