import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { PROFILES, type Profile } from "../../src/core/profiles.js";
import { legacyScore, rankingScore, recency, RECENCY_TIME_CONSTANT_MS, relevance } from "../../src/core/score.js";

const NOW = Date.UTC(2025, 5, 1);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

function rank(cosine: number, importance: number, age: number, profile: Profile): number {
  return rankHybrid({ cosine, rrf: 0 }, importance, age, profile);
}

function rankHybrid(
  { cosine, rrf }: { readonly cosine: number; readonly rrf: number },
  ...[importance, age, profile]: [number, number, Profile]
): number {
  const parts = { similarity: cosine, importance, recency: recency(NOW - age, NOW), trust: 1, rrf };
  return rankingScore({ ...parts, relevance: relevance({ cosine, coverage: 0, identifiersHeld: 0 }) }, profile);
}

describe("recency", () => {
  it("falls to 1/e in 30 days", () => {
    expect(recency(NOW, NOW)).toBe(1);
    expect(recency(NOW - RECENCY_TIME_CONSTANT_MS, NOW)).toBeCloseTo(Math.exp(-1), 12);
  });

  it("is never above 1, not even for a future event", () => {
    expect(recency(NOW + 365 * DAY, NOW)).toBe(1);
  });

  it("is above 0 for any date", () => {
    fc.assert(
      fc.property(fc.date({ noInvalidDate: true }), fc.date({ noInvalidDate: true }), (event, now) => {
        const value = recency(event.getTime(), now.getTime());
        expect(value > 0 && value <= 1).toBe(true);
      }),
    );
  });
});

describe("relevance", () => {
  it("is the better of cosine and lexical coverage", () => {
    expect(relevance({ cosine: 0.4, coverage: 0.1, identifiersHeld: 0 })).toBe(0.4);
    expect(relevance({ cosine: 0.4, coverage: 1, identifiersHeld: 0 })).toBe(1);
    expect(relevance({ cosine: null, coverage: 0.2, identifiersHeld: 0 })).toBe(0.2);
    expect(relevance({ cosine: null, coverage: 0, identifiersHeld: 0 })).toBe(0);
    expect(relevance({ cosine: null, coverage: 0.1, identifiersHeld: 0.5 })).toBe(0.9);
    expect(relevance({ cosine: 0.1, coverage: 1, identifiersHeld: 1 })).toBe(1);
  });

  it("lies in [0, 1] for any evidence", () => {
    fc.assert(
      fc.property(fc.option(fc.double()), fc.double(), (cosine, coverage) => {
        const value = relevance({ cosine, coverage, identifiersHeld: 0 });
        expect(value >= 0 && value <= 1).toBe(true);
      }),
    );
  });
});

describe("rankingScore", () => {
  const parts = { similarity: 0.5, importance: 0.8, recency: 0.4, trust: 0.5 };

  it("adds importance and recency from the floor on, and multiplies by trust", () => {
    expect(rankingScore({ ...parts, relevance: 0.3 }, PROFILES.balanced)).toBeCloseTo((0.5 + 0.04 + 0.02) * 0.5, 12);
    expect(rankingScore({ ...parts, relevance: 0.3 }, PROFILES.safe)).toBeCloseTo(0.25, 12);
  });

  it("counts a missing similarity as 0", () => {
    expect(rankingScore({ ...parts, similarity: null, relevance: 0 }, PROFILES.balanced)).toBe(0);
  });

  it("limits the floor to [0, 1]", () => {
    const above: Profile = { ...PROFILES.balanced, ranking_min_similarity: 7 };
    const below: Profile = { ...PROFILES.balanced, ranking_min_similarity: -7 };
    expect(rankingScore({ ...parts, relevance: 1 }, above)).toBeCloseTo(0.28, 12);
    expect(rankingScore({ ...parts, relevance: 0 }, below)).toBeCloseTo(0.28, 12);
  });

  it("adds the rank fusion of the hybrid scorer to the similarity", () => {
    expect(rankingScore({ ...parts, relevance: 0, rrf: 1 }, PROFILES.balanced)).toBeCloseTo(0.65, 12);
  });

  it.each(Object.values(PROFILES))("lifts no weak match over a strong one in profile $name", (profile) => {
    const strong = rank(0.49, 0, 365 * DAY, profile);
    expect(strong).toBeGreaterThan(rank(0.28, 1, HOUR, profile));
    expect(strong).toBeGreaterThan(rank(0.31, 1, HOUR, profile));
    expect(rank(1, 0.5, 60 * DAY, profile)).toBeGreaterThan(rank(0.5, 1, 0, profile));
  });

  it.each(Object.values(PROFILES))("keeps to that where words count too, in profile $name", (profile) => {
    // Found by meaning alone, first and second of the vector channel.
    const [first, second] = [61 / 61 / 2, 61 / 62 / 2];
    const strong = rankHybrid({ cosine: 0.49, rrf: first }, 0, 365 * DAY, profile);
    expect(strong).toBeGreaterThan(rankHybrid({ cosine: 0.28, rrf: second }, 1, HOUR, profile));
    const perfect = rankHybrid({ cosine: 1, rrf: first }, 0.5, 60 * DAY, profile);
    // The tangent shares words with the query and the perfect match none.
    expect(perfect).toBeGreaterThan(rankHybrid({ cosine: 0.4, rrf: second + 0.5 }, 1, 0, profile));
  });

  it.each(Object.values(PROFILES))(
    "gives a future event no more than one of this moment in profile $name",
    (profile) => {
      expect(rank(0.6, 0.5, -365 * DAY, profile)).toBe(rank(0.6, 0.5, 0, profile));
      expect(rank(0.6, 1, -365 * DAY, profile)).toBeLessThanOrEqual(0.6 + 0.1 + 1e-12);
    },
  );

  it.each(Object.values(PROFILES))("breaks near-ties by importance and recency in profile $name", (profile) => {
    expect(rank(0.6, 1, DAY, profile)).toBeGreaterThan(rank(0.61, 0, DAY, profile));
    expect(rank(0.6, 0.5, HOUR, profile)).toBeGreaterThan(rank(0.61, 0.5, 90 * DAY, profile));
  });

  it("never lifts a memory over another that is more than .1 of cosine closer", () => {
    const unit = fc.double({ min: 0, max: 1, noNaN: true });
    const profiles = fc.constantFrom(...Object.values(PROFILES));
    fc.assert(
      fc.property(profiles, unit, unit, (profile, importance, cosine) => {
        expect(rank(cosine + 0.101, 0, 10_000 * DAY, profile)).toBeGreaterThan(rank(cosine, importance, 0, profile));
      }),
    );
  });
});

describe("legacyScore", () => {
  it("adds importance and recency without a floor", () => {
    const parts = { similarity: 0.1, importance: 0.8, recency: 0.4, trust: 0.5 };
    expect(legacyScore(parts, PROFILES.balanced)).toBeCloseTo((0.2 + 0.8 + 0.4) * 0.5, 12);
    expect(legacyScore({ ...parts, rrf: 1 }, PROFILES.balanced)).toBeCloseTo((0.2 + 0.8 + 0.4 + 0.8) * 0.5, 12);
    expect(legacyScore({ ...parts, similarity: null }, PROFILES.balanced)).toBeCloseTo(0.6, 12);
  });
});
