import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from "@jest/globals";
import { readyDataDir, removeDataDirs } from "../support/data-dir.js";
import { npm, registryAnswers } from "../support/npm.js";
import { call, killProcesses, startServer } from "../support/server-process.js";

jest.setTimeout(240_000);

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const online = await registryAnswers();

let folder: string;
let tarball: string;
let files: string[];

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "memgate-e2e-package-"));
  const [packed] = JSON.parse(await npm(["pack", "--json", "--pack-destination", folder], ROOT)) as [
    { filename: string; files: { path: string }[] },
  ];
  tarball = path.join(folder, packed.filename);
  files = packed.files.map((each) => each.path);
});
afterEach(killProcesses);
afterAll(async () => {
  await removeDataDirs();
  await rm(folder, { recursive: true, force: true });
});

describe("the npm package", () => {
  it("is imported by its name for the embedding pipeline, and for nothing inside it", async () => {
    const script = `
      import { executeEmbeddingBatchesWithRetry } from "memgate";
      const embed = async (texts) => texts.map((text) => [text.length, 1]);
      const { embedded } = await executeEmbeddingBatchesWithRetry({ embed }, ["tea"]);
      const inside = await import("memgate/dist/cli.js").catch((error) => error.code);
      console.log([...embedded[0].vector].join(), inside);`;
    const { stdout } = await promisify(execFile)("node", ["--input-type=module", "--eval", script], { cwd: ROOT });
    expect(stdout).toBe("3,1 ERR_PACKAGE_PATH_NOT_EXPORTED\n");
  });

  it("has what a server needs, with the licences", () => {
    expect(files).toEqual(
      expect.arrayContaining([
        "LICENSE",
        "NOTICE",
        "README.md",
        "package.json",
        "openapi.json",
        "openapi.yaml",
        ".env.example",
        "migrations/0001_memories.sql",
        "dist/cli.js",
        "dist/index.js",
        "dist/index.d.ts",
        "dist/embeddings/embedded/worker.js",
        "dist/docs-ui/swagger-ui.css",
        "dist/docs-ui/swagger-ui-bundle.js",
        "dist/docs-ui/LICENSE",
      ]),
    );
  });

  it("has nothing else", () => {
    const expected = [
      /^(LICENSE|NOTICE|README\.md|CHANGELOG\.md|package\.json|openapi\.(json|yaml)|\.env\.example)$/,
      /^migrations\/\d{4}_\w+\.sql$/,
      /^dist\/([\w-]+\/)*[\w-]+(\.js|\.d\.ts)$/,
      /^dist\/docs-ui\/(swagger-ui\.css|swagger-ui-bundle\.js|LICENSE)$/,
    ];
    expect(files.filter((file) => !expected.some((pattern) => pattern.test(file)))).toEqual([]);
  });
});

interface Found {
  readonly memories: readonly { readonly content: string; readonly relevance: number }[];
}

/** What the installed command answers, and with which runtime. */
async function serveAndAsk(home: string): Promise<{ runtime: string; found: Found["memories"] }> {
  const dataDir = await readyDataDir();
  const server = await startServer({ dataDir, command: ["npx", "--no", "memgate"], cwd: home });
  const contents = ["The cello lesson is on Tuesday.", "Rent is due on the first.", "Mira plays the cello."];
  const batch = { user_id: "ada", memories: contents.map((content) => ({ content })) };
  expect((await call(`${server.url}/v1/memories/batch`, batch)).status).toBe(200);
  const query = { user_id: "ada", query: "Which instrument does Mira play?" };
  const { body } = await call<Found>(`${server.url}/v1/memories/search`, query);
  const runtime = /^Embedding space.* dimensions \((.+)\)$/m.exec(server.stdout)?.[1] ?? "";
  await server.kill();
  return { runtime, found: body.memories };
}

const name = "serves and finds the same with onnxruntime-node and without it";
(online ? it : it.skip)(
  online ? `installed in an empty folder, ${name}` : `${name} (skipped: no registry)`,
  async () => {
    const home = path.join(folder, "home");
    await mkdir(home);
    await writeFile(path.join(home, "package.json"), JSON.stringify({ private: true }));
    const quick = ["--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"];
    await npm(["install", ...quick, tarball], home);
    const native = await serveAndAsk(home);
    // Leaves what it would leave in an empty folder: the same packages without the optional one.
    await npm(["install", ...quick, "--omit=optional"], home);
    const portable = await serveAndAsk(home);

    expect(native.runtime).toMatch(/^onnxruntime-node /);
    expect(portable.runtime).toMatch(/^WebAssembly/);
    expect(native.found[0]?.content).toBe("Mira plays the cello.");
    expect(portable.found.map(({ content }) => content)).toEqual(native.found.map(({ content }) => content));
    portable.found.forEach(({ relevance }, index) => {
      expect(relevance).toBeCloseTo(native.found[index]!.relevance, 4);
    });
  },
);
