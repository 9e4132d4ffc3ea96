import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { orderHits, type Ranked } from "../../src/core/order-hits.js";

const HIT: Ranked = { id: "a", ranking_score: 0.5, best_rank: 1, content_digest: "00" };

const hits = fc.uniqueArray(
  fc.record({
    id: fc.string({ maxLength: 3 }),
    ranking_score: fc.constantFrom(0, 0.5, 1, NaN, -1),
    best_rank: fc.integer({ min: 1, max: 3 }),
    content_digest: fc.constantFrom("00", "0a", "B0"),
  }),
  { selector: (hit) => hit.id },
);

describe("orderHits", () => {
  it("orders by score, then rank, then digest, then id", () => {
    const expected: Ranked[] = [
      { ...HIT, id: "z", ranking_score: 0.9, best_rank: 9 },
      { ...HIT, id: "y", content_digest: "ff" },
      { ...HIT, id: "b", best_rank: 2, content_digest: "0B" },
      { ...HIT, id: "x", best_rank: 2, content_digest: "0a" },
      { ...HIT, id: "xa", best_rank: 2, content_digest: "0a" },
      { ...HIT, id: "c", ranking_score: NaN },
    ];
    expect(orderHits([...expected].reverse())).toEqual(expected);
  });

  it("gives one order for every order of arrival", () => {
    const shuffled = hits.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
    );
    fc.assert(
      fc.property(shuffled, ([all, other]) => {
        expect(orderHits(other)).toEqual(orderHits(all));
      }),
    );
  });

  it("leaves its input as it is", () => {
    const input = [HIT, { ...HIT, id: "b", ranking_score: 1 }];
    orderHits(input);
    expect(input.map((hit) => hit.id)).toEqual(["a", "b"]);
  });
});
