import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { bootId, processStart } from "../../src/db/boot-identity.js";
import { DataDirLockedError, findHolder, lockDataDir, type LockHolder } from "../../src/db/data-dir-lock.js";

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "memgate-lock-"));
  file = path.join(folder, "memgate.lock");
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

const SELF: LockHolder = {
  pid: process.pid,
  process_start: processStart(process.pid),
  boot_id: bootId(),
  url: null,
};

function write(holder: object): void {
  writeFileSync(file, JSON.stringify(holder));
}

function read(): LockHolder {
  return JSON.parse(readFileSync(file, "utf8")) as LockHolder;
}

async function withProcess(work: (child: ChildProcess & { pid: number }) => void | Promise<void>): Promise<void> {
  const child = spawn(process.execPath, ["-e", "setInterval(() => undefined, 1000); console.log('up')"]);
  try {
    await once(child.stdout, "data");
    await work(child as ChildProcess & { pid: number });
  } finally {
    const exited = child.exitCode === null && child.signalCode === null ? once(child, "exit") : undefined;
    child.kill("SIGKILL");
    await exited;
  }
}

describe("the lock of the data folder", () => {
  it("says who has it", () => {
    const lock = lockDataDir(folder);
    expect(read()).toEqual(SELF);
    expect(findHolder(folder)).toEqual(SELF);
    lock.release();
    expect(findHolder(folder)).toBeUndefined();
  });

  it("makes the folder where it is missing", () => {
    const lock = lockDataDir(path.join(folder, "a", "b"));
    expect(findHolder(path.join(folder, "a", "b"))).toEqual(SELF);
    lock.release();
  });

  it("refuses a second holder, and leaves the first one's lock alone", () => {
    const lock = lockDataDir(folder);
    expect(() => lockDataDir(folder)).toThrow(DataDirLockedError);
    expect(() => lockDataDir(folder)).toThrow(`process ${String(process.pid)} has it open`);
    expect(findHolder(folder)).toEqual(SELF);
    lock.release();
    lockDataDir(folder).release();
  });

  it("tells others where the holder serves, once it does", () => {
    const lock = lockDataDir(folder);
    lock.publish("http://127.0.0.1:3050");
    expect(findHolder(folder)?.url).toBe("http://127.0.0.1:3050");
    expect(() => lockDataDir(folder)).toThrow("and serves http://127.0.0.1:3050");
    lock.release();
  });

  it("refuses while another process lives, and is taken over when it has ended", async () => {
    await withProcess(async (child) => {
      write({ ...SELF, pid: child.pid, process_start: processStart(child.pid) });
      expect(() => lockDataDir(folder)).toThrow(`process ${String(child.pid)} has it open`);
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
      expect(findHolder(folder)).toBeUndefined();
      const lock = lockDataDir(folder);
      expect(read()).toEqual(SELF);
      lock.release();
    });
  });

  it("is stale when its process id belongs to a later process now", async () => {
    await withProcess((child) => {
      write({ ...SELF, pid: child.pid, process_start: "1" });
      expect(findHolder(folder)).toBeUndefined();
      lockDataDir(folder).release();
    });
    write({ ...SELF, process_start: "1" });
    lockDataDir(folder).release();
  });

  it("is stale when it is from before the last boot", () => {
    write({ ...SELF, boot_id: "00000000-0000-0000-0000-000000000000" });
    expect(findHolder(folder)).toBeUndefined();
    lockDataDir(folder).release();
  });

  it.each(["", "{", "null", "[]", '{"pid":"7"}', "\u0000"])("is stale when it cannot be read: %j", (text) => {
    writeFileSync(file, text);
    expect(findHolder(folder)).toBeUndefined();
    const lock = lockDataDir(folder);
    expect(read()).toEqual(SELF);
    lock.release();
  });

  it("is not given back by who has it no more", async () => {
    const lock = lockDataDir(folder);
    await withProcess((child) => {
      const other = { ...SELF, pid: child.pid, process_start: processStart(child.pid) };
      write(other);
      lock.release();
      expect(findHolder(folder)).toEqual(other);
    });
  });

  it("leaves no other file behind", () => {
    write({ ...SELF, process_start: "1" });
    const lock = lockDataDir(folder);
    lock.publish("http://127.0.0.1:1");
    expect(readdirSync(folder)).toEqual(["memgate.lock"]);
    lock.release();
    expect(readdirSync(folder)).toEqual([]);
  });
});
