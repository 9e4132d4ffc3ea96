import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, rename, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { templateHash } from "../setup/templates.js";
import { CLI } from "./server-process.js";

const MODELS = path.join(tmpdir(), "memgate-test-models");
const made: string[] = [];

/** An empty data folder of its own, but for the model's 90 MB, which all share. */
export async function emptyDataDir(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "memgate-e2e-"));
  made.push(folder);
  await mkdir(MODELS, { recursive: true });
  await symlink(MODELS, path.join(folder, "models"));
  return folder;
}

/** A data folder with a migrated database in it: a server starts on it seconds sooner than on an empty one. */
export async function readyDataDir(): Promise<string> {
  const folder = await emptyDataDir();
  await cp(await template(), path.join(folder, "postgres"), { recursive: true });
  return folder;
}

/** Removes every folder that was handed out; for `afterAll`. */
export async function removeDataDirs(): Promise<void> {
  for (const folder of made.splice(0)) await rm(folder, { recursive: true, force: true });
}

async function template(): Promise<string> {
  const finished = path.join(tmpdir(), `memgate-test-folder-${templateHash()}`);
  if (existsSync(finished)) return path.join(finished, "postgres");
  const draft = await mkdtemp(path.join(tmpdir(), "memgate-e2e-template-"));
  await promisify(execFile)(process.execPath, [CLI, "migrate"], { cwd: draft, env: { MEMGATE_DATA_DIR: draft } });
  // Another test file may make the same one at the same time, and have been quicker.
  await rename(draft, finished).catch(async () => {
    await rm(draft, { recursive: true });
  });
  return path.join(finished, "postgres");
}
