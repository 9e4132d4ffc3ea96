import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { bootId, isAlive, processStart } from "./boot-identity.js";

/** Who has the embedded database open. */
export interface LockHolder {
  readonly pid: number;
  readonly process_start: string;
  readonly boot_id: string;
  /** Where its HTTP API listens; null until it does, or for a command that does not serve. */
  readonly url: string | null;
}

export interface DataDirLock {
  /** Tells other processes where to reach this one. */
  publish(url: string): void;
  /** Happens by itself when the process exits, unless a signal ends it. */
  release(): void;
}

/** Another live process has the folder: PGlite itself would let both write, and lose what the second one commits. */
export class DataDirLockedError extends Error {
  constructor(
    dataDir: string,
    readonly holder: LockHolder,
  ) {
    const where = holder.url === null ? "" : ` and serves ${holder.url}`;
    super(`${dataDir} is in use: process ${String(holder.pid)} has it open${where}`);
    this.name = "DataDirLockedError";
  }
}

/** Takes the folder for this process. Throws {@link DataDirLockedError} when a live process has it. */
export function lockDataDir(dataDir: string): DataDirLock {
  makeFolder(dataDir);
  const file = lockFile(dataDir);
  const mine = { pid: process.pid, process_start: processStart(process.pid), boot_id: bootId() };
  for (;;) {
    if (create(file, { ...mine, url: null })) break;
    const holder = readHolder(file);
    if (holder !== undefined && isLive(holder)) throw new DataDirLockedError(dataDir, holder);
    discard(file);
  }
  const release = (): void => {
    process.off("exit", release);
    if (readHolder(file)?.pid === mine.pid) rmSync(file, { force: true });
  };
  process.once("exit", release);
  return {
    publish: (url) => {
      replace(file, { ...mine, url });
    },
    release,
  };
}

function makeFolder(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${dataDir} cannot be used as the data folder: ${reason}`, { cause: error });
  }
}

/** The live process that has the folder open; undefined when none has. */
export function findHolder(dataDir: string): LockHolder | undefined {
  const holder = readHolder(lockFile(dataDir));
  return holder !== undefined && isLive(holder) ? holder : undefined;
}

function lockFile(dataDir: string): string {
  return path.join(dataDir, "memgate.lock");
}

function isLive(holder: LockHolder): boolean {
  return holder.boot_id === bootId() && isAlive(holder.pid) && processStart(holder.pid) === holder.process_start;
}

/** Whole or not at all: written aside, then linked, which fails when the name exists. */
function create(file: string, holder: LockHolder): boolean {
  const aside = writeAside(file, holder);
  try {
    linkSync(aside, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    unlinkSync(aside);
  }
}

function replace(file: string, holder: LockHolder): void {
  renameSync(writeAside(file, holder), file);
}

function writeAside(file: string, holder: LockHolder): string {
  const aside = `${file}.${String(process.pid)}`;
  writeFileSync(aside, JSON.stringify(holder));
  return aside;
}

/**
 * Removes a stale lock. Of two processes that found it stale the slower one may take away the quicker one's new lock:
 * it sees that in what it took, and puts it back.
 */
function discard(file: string): void {
  const aside = `${file}.stale.${String(process.pid)}`;
  try {
    renameSync(file, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  const taken = readHolder(aside);
  if (taken !== undefined && isLive(taken)) linkSync(aside, file);
  rmSync(aside, { force: true });
}

function readHolder(file: string): LockHolder | undefined {
  try {
    const holder = JSON.parse(readFileSync(file, "utf8")) as Partial<LockHolder>;
    if (typeof holder.pid !== "number") return undefined;
    return {
      pid: holder.pid,
      process_start: holder.process_start ?? "",
      boot_id: holder.boot_id ?? "",
      url: holder.url ?? null,
    };
  } catch {
    return undefined;
  }
}
