import { PROFILES } from "../../src/core/profiles.js";
import { FUSION_DEFAULT, FUSIONS } from "../../src/core/rank-fusion.js";
import type { ScoreQuery } from "../../src/db/queries/score-query.js";

/** A query of the scorer that considers 5 of each channel and brings no memory, but for what the test says. */
export function scoreQueryOf(given: Partial<ScoreQuery> & Pick<ScoreQuery, "vector">): ScoreQuery {
  return {
    mode: given.vector === null ? "lexical" : "hybrid",
    filters: {},
    spaceId: 1,
    terms: [],
    identifiers: [],
    profile: PROFILES.balanced,
    fusion: FUSIONS[FUSION_DEFAULT],
    pool: 5,
    hits: "all",
    wanted: { threshold: null, profileFloor: null, limit: 0 },
    ...given,
  };
}
