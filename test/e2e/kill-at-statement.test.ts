import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { DatabaseSettings } from "../../src/db/database.js";
import { compileFaultyDatabase, runKilledWriter, type KilledWriterJob } from "../support/killed-writer-job.js";
import { openTestDatabase, testTarget } from "../support/test-database.js";
import { uniqueName } from "../support/unique-name.js";

let folder: string;
let faultyDatabase: string;

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "memgate-killed-"));
  faultyDatabase = compileFaultyDatabase(folder);
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

type Fault = NonNullable<KilledWriterJob["fault"]>;

/** Where a write that takes these steps is to die: from its begin to its commit, both sides of each, and in between. */
function placesIn(steps: readonly string[], between: number): (Fault & { readonly done: boolean })[] {
  const begin = steps.indexOf("begin") + 1;
  const commit = steps.indexOf("commit") + 1;
  const inside = Array.from({ length: between }, (_, index) => {
    return begin + Math.floor(((index + 1) * (commit - begin)) / (between + 1));
  });
  return [
    ...[begin, ...inside].map((at) => ({ at, when: "after" as const, done: false })),
    { at: commit, when: "before", done: false },
    { at: commit, when: "after", done: true },
  ];
}

/** Each process looks at what the one before left, sends its command again, and dies in a command of its own. */
async function killInTurn(database: DatabaseSettings, between: number): Promise<void> {
  const job = { database, userId: uniqueName("user"), faultyDatabase };
  const first = await runKilledWriter({ ...job, previous: null, current: "key-0", fault: null });
  expect(first).toMatchObject({ killed: false, report: { disagreements: [], replayed: null, contents: [] } });
  // The steps of a first write to a scope are others than those of every later one.
  const { report: usual } = await runKilledWriter({ ...job, previous: "key-0", current: "key-1", fault: null });
  let previous = "key-1";
  let found = true;
  const contents = ["key-0 one", "key-0 two"];
  for (const [index, { done, ...fault }] of placesIn(usual.steps, between).entries()) {
    const current = `key-${String(index + 2)}`;
    contents.push(`${previous} one`, `${previous} two`);
    const { report, killed } = await runKilledWriter({ ...job, previous, current, fault });
    expect({ killed, disagreements: report.disagreements, replayed: report.replayed }).toEqual({
      killed: true,
      disagreements: [],
      replayed: found,
    });
    expect(report.contents).toEqual([...contents, `${previous} named`].sort());
    previous = current;
    found = done;
  }
  const last = await runKilledWriter({ ...job, previous, current: null, fault: null });
  expect(last.report).toMatchObject({ disagreements: [], replayed: found });
  expect(last.report.contents).toEqual([...contents, `${previous} one`, `${previous} two`, `${previous} named`].sort());
}

describe("a process that is killed in the middle of a write", () => {
  it("has done it wholly or not at all, on the embedded database", async () => {
    await killInTurn({ kind: "embedded", dataDir: path.join(folder, "postgres") }, 1);
  }, 60_000);

  it("has done it wholly or not at all, on Postgres", async () => {
    if (testTarget().kind !== "postgres") return;
    const database = await openTestDatabase();
    try {
      await killInTurn(database.settings, 5);
    } finally {
      await database.close();
    }
  }, 60_000);
});
