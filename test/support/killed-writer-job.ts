import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { transformSync } from "@swc/core";
import type { DatabaseSettings } from "../../src/db/database.js";

/** What `killed-writer.js` is to do. */
export interface KilledWriterJob {
  readonly database: DatabaseSettings;
  readonly userId: string;
  /** Address of the compiled faulty-database.ts. */
  readonly faultyDatabase: string;
  /** The command that the last process was about when it was killed; null at first. */
  readonly previous: string | null;
  /** The command to run; null for none. */
  readonly current: string | null;
  /** Where in it to die; null for nowhere. */
  readonly fault: { readonly at: number; readonly when: "before" | "after" } | null;
}

export interface KilledWriterReport {
  readonly disagreements: readonly string[];
  /** Whether the previous command was found done; null when there was none. */
  readonly replayed: boolean | null;
  /** What there is once the previous command has been sent again. */
  readonly contents: readonly string[];
  /** The steps of the current command, as far as it came. */
  readonly steps: readonly string[];
}

const SCRIPT = fileURLToPath(new URL("killed-writer.js", import.meta.url));

/** Node runs no TypeScript: puts what the script needs of it into a folder. Returns its address. */
export function compileFaultyDatabase(folder: string): string {
  const source = readFileSync(new URL("faulty-database.ts", import.meta.url), "utf8");
  const file = path.join(folder, "faulty-database.mjs");
  const { code } = transformSync(source, {
    swcrc: false,
    jsc: { parser: { syntax: "typescript" }, target: "es2023" },
    module: { type: "es6" },
  });
  writeFileSync(file, code);
  return pathToFileURL(file).href;
}

/** Runs the script to its end. Throws what it printed when it told nothing. */
export async function runKilledWriter(job: KilledWriterJob): Promise<{ report: KilledWriterReport; killed: boolean }> {
  const child = spawn(process.execPath, [SCRIPT, JSON.stringify(job)], { stdio: ["ignore", "pipe", "pipe"] });
  const printed = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].on("data", (chunk: Buffer) => void (printed[name] += chunk.toString()));
  }
  const [, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  if (printed.stdout === "") throw new Error(`the writer told nothing: ${printed.stderr}`);
  return { report: JSON.parse(printed.stdout) as KilledWriterReport, killed: signal === "SIGKILL" };
}
