import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { SEARCH_MODES } from "../../src/core/search-mode.js";
import type { Filters } from "../../src/core/scope.js";
import { scoreCandidates } from "../../src/db/queries/score-candidates.js";
import type { ScoredHit, ScoreQuery } from "../../src/db/queries/score-query.js";
import { queryHashes } from "../../src/services/index-content.js";
import { viewOf } from "../../src/services/resolve-scope.js";
import { PastWorld, startPastSystem, type PastSystem } from "../support/past-world.js";
import { scoreQueryOf } from "../support/score-query.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";

let database: TestDatabase;
let system: PastSystem;

beforeAll(async () => {
  database = await openTestDatabase();
  system = await startPastSystem(database.db);
});

afterAll(async () => {
  await system.close();
  await database.close();
});

const WORDS = "harp violin cello drum horn".split(" ");
const FILTERS: readonly Filters[] = [{}, { tagsAny: ["even"] }, { sessionId: "none" }];

/** Contents of which many tie in one channel or both, some without a vector and some without a word. */
async function storeCorpus(world: PastWorld): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < 24; n++) {
    const words = WORDS.filter((_, index) => ((n >> 1) & (1 << index)) !== 0);
    system.bench.embedder.setDown(n % 7 === 3);
    const { id } = await world.ada.store(words.join(" ") || "!", { tags: [n % 2 === 0 ? "even" : "odd"] });
    ids.push(id);
  }
  system.bench.embedder.setDown(false);
  return ids;
}

it.each(SEARCH_MODES.flatMap((mode) => [false, true].map((past) => ({ mode, past }))))(
  "a focus changes no score and no place of another memory: $mode, past $past",
  async ({ mode, past }) => {
    const world = new PastWorld(system);
    const ids = await storeCorpus(world);
    const scope = { ...world.ada.scope, id: await world.ada.scopeId() };
    const view = viewOf(scope, world.tick(), { past });
    const { embedder, spaceId } = system.bench;
    const score = async (more: Partial<ScoreQuery>): Promise<ScoredHit[]> => {
      const vector = mode === "lexical" ? null : embedder.vectorOf("harp violin drum");
      const query = { mode, vector, spaceId, terms: queryHashes("harp violin drum"), ...more };
      const { hits } = await scoreCandidates(database.db.inScope(scope.id), view, scoreQueryOf(query));
      return hits;
    };
    for (const filters of FILTERS) {
      for (const wanted of [
        { threshold: null, profileFloor: null, limit: 3 },
        { threshold: 0.2, profileFloor: 0.3, limit: 24 },
      ]) {
        const plain = await score({ filters, wanted });
        for (const focus of ids) {
          const hits = await score({ filters, wanted, focus });
          expect(hits.filter((hit) => hit.considered)).toEqual(plain);
          expect(hits.filter((hit) => !hit.considered).map((hit) => hit.id)).toEqual(
            plain.some((hit) => hit.id === focus) ? [] : [focus],
          );
        }
      }
    }
  },
);
