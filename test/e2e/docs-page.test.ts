import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it, jest } from "@jest/globals";
import { chromium, type BrowserContext } from "playwright-core";
import { readyDataDir, removeDataDirs } from "../support/data-dir.js";
import { startEmbeddingServer, type EmbeddingServer } from "../support/embedding-server.js";
import { killProcesses, startServer, type MemgateProcess } from "../support/server-process.js";

jest.setTimeout(90_000);

const BROWSER = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
const QUIET = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

let embeddings: EmbeddingServer;
let server: MemgateProcess;

beforeEach(async () => {
  embeddings = await startEmbeddingServer();
  const env = { EMBEDDING_PROVIDER: "ollama", EMBEDDING_BASE_URL: embeddings.url };
  server = await startServer({ dataDir: await readyDataDir(), env });
});
afterEach(async () => {
  await killProcesses();
  await embeddings.close();
});
afterAll(removeDataDirs);

describe("GET /openapi.json", () => {
  it("is the committed openapi.json", async () => {
    const committed: unknown = JSON.parse(readFileSync(new URL("../../openapi.json", import.meta.url), "utf8"));
    expect(await (await fetch(`${server.url}/openapi.json`)).json()).toEqual(committed);
  });
});

describe("/docs in a browser", () => {
  let profile: string;
  let context: BrowserContext;

  beforeEach(async () => {
    profile = await mkdtemp(path.join(tmpdir(), "memgate-e2e-browser-"));
  });
  afterEach(async () => {
    await rm(profile, { recursive: true, force: true, maxRetries: 3 });
  });

  const name = "lists every operation, runs one, prints no error and asks nobody but us";
  (BROWSER === undefined ? it.skip : it)(
    BROWSER === undefined ? `${name} (skipped: no Chromium here)` : name,
    async () => {
      context = await chromium.launchPersistentContext(profile, {
        executablePath: BROWSER!,
        headless: true,
        args: QUIET,
      });
      try {
        const page = await context.newPage();
        const complaints: string[] = [];
        const origins = new Set<string>();
        page.on("console", (message) => {
          if (["error", "warning"].includes(message.type()))
            complaints.push(`${message.location().url}: ${message.text()}`);
        });
        page.on("pageerror", (error) => complaints.push(error.message));
        page.on("requestfailed", (request) =>
          complaints.push(`${request.url()}: ${request.failure()?.errorText ?? ""}`),
        );
        context.on("request", (request) => {
          if (!request.url().startsWith("data:")) origins.add(new URL(request.url()).origin);
        });

        await page.goto(`${server.url}/docs`);
        await page.locator(".opblock").first().waitFor();
        const operations = await page.locator("[data-path]").all();
        const paths = await Promise.all(operations.map(async (each) => await each.getAttribute("data-path")));
        const described = JSON.parse(readFileSync(new URL("../../openapi.json", import.meta.url), "utf8")) as {
          paths: Record<string, object>;
        };
        expect([...new Set(paths)].sort()).toEqual(Object.keys(described.paths).sort());
        expect(paths).toContain("/v1/memories/search");

        const live = page.locator(".opblock", { has: page.locator('[data-path="/health/live"]') });
        await live.locator(".opblock-summary").click();
        await live.getByRole("button", { name: "Try it out" }).click();
        await live.getByRole("button", { name: "Execute" }).click();
        await live.locator(".live-responses-table").waitFor();
        expect(await live.locator(".live-responses-table .response-col_status").last().textContent()).toContain("200");

        expect(complaints).toEqual([]);
        expect([...origins]).toEqual([server.url]);
      } finally {
        await context.close();
      }
    },
  );
});
