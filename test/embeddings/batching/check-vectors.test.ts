import { describe, expect, it } from "@jest/globals";
import { checkVectors } from "../../../src/embeddings/batching/check-vectors.js";

const expected = { provider: "openai", count: 1, dimensions: 2 };

describe("checkVectors", () => {
  it("returns the vectors of a good reply", () => {
    expect(checkVectors([[3, 4]], expected)).toEqual([Float32Array.of(3, 4)]);
  });

  it("takes vectors that are Float32Arrays already, as they are", () => {
    const vector = Float32Array.of(3, 4);
    expect(checkVectors([vector], expected)[0]).toBe(vector);
    expect(() => checkVectors([Float32Array.of(Number.NaN, 1)], expected)).toThrow(/not a finite number/);
  });

  it("takes any dimension while that is probed", () => {
    expect(checkVectors([[1, 2, 3]], { ...expected, dimensions: undefined })[0]).toHaveLength(3);
  });

  it.each([
    ["too few vectors", [], /0 vectors for 1 texts/],
    [
      "too many vectors",
      [
        [1, 0],
        [0, 1],
      ],
      /2 vectors for 1 texts/,
    ],
    ["another dimension", [[1, 2, 3]], /3 dimensions instead of 2/],
    ["an empty vector", [[]], /unusable norm 0/],
    ["null in a vector", [[1, null]], /not a finite number/],
    ["infinity in a vector", [[1, Number.POSITIVE_INFINITY]], /not a finite number/],
    ["a string in a vector", [["1", 2]], /not a finite number/],
    ["something else than a vector", ["AAAA"], /not an array/],
    ["a zero vector", [[0, 0]], /unusable norm 0/],
    ["a vector too short for float32", [[1e-16, 0]], /unusable norm/],
    ["a vector too long for float32", [[1e16, 0]], /unusable norm/],
  ])("refuses %s", (_, reply, message) => {
    const check = (): unknown => checkVectors(reply, expected);
    expect(check).toThrow(expect.objectContaining({ kind: "bad_reply" }));
    expect(check).toThrow(message);
  });

  it("names no value of the reply but its sizes", () => {
    expect(() => checkVectors([["secret"]], expected)).toThrow(/^(?!.*secret)/);
  });
});
