import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { SEARCH_MODES } from "../../src/core/search-mode.js";
import { recording } from "../support/recording-database.js";
import { openBench, type ServiceBench } from "../support/service-bench.js";
import { MemoryWorld, startSystem, type MemorySystem } from "../support/memory-world.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";
import { WordEmbedder } from "../support/word-embedder.js";

let database: TestDatabase;
let system: MemorySystem;
let bench: ServiceBench;

beforeAll(async () => {
  database = await openTestDatabase();
  system = await startSystem(database.db);
  bench = await openBench(database.db, { embedder: new WordEmbedder({ dimensions: 8 }) });
});

afterAll(async () => {
  await system.close();
  await database.close();
});

describe("a search", () => {
  it.each(SEARCH_MODES)("in the mode %s is one statement once the scope is known, memories included", async (mode) => {
    const world = new MemoryWorld(system);
    for (const content of ["harp", "harp violin", "drum"]) await world.store(content);
    const { db, log } = recording(database.db);
    const services = bench.on(db);
    const search = {
      ...world.scope,
      query: "harp",
      mode,
      threshold: 0,
      gateMode: "auto",
      limit: 2,
      explain: false,
    } as const;
    const find = async () => await services.searchMemories(bench.caller, { ...search, filters: {}, asOf: undefined });
    await find();
    log.length = 0;
    const { hits } = await find();
    expect(hits.map(({ memory }) => memory.content)).toContain("harp");
    expect(log.map(({ text }) => text.trim().split(/\s+/)[0])).toEqual(["inScope", "with"]);
  });
});
