import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { createHash } from "node:crypto";
import { termHash } from "../../src/core/term-hash.js";

describe("termHash", () => {
  it("never changes, since stored postings depend on it", () => {
    expect(termHash("exact", "dog")).toBe(6_822_884_184_633_344_709n);
    expect(termHash("stemmed", "dog")).toBe(-1_270_106_051_585_182_192n);
    expect(termHash("exact", "東京")).toBe(-1_889_709_346_022_070_336n);
  });

  it("is the first 8 bytes of the digest of kind and term, as a signed number", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("exact" as const, "stemmed" as const),
        fc.string({ unit: "binary" }),
        (kind, term) => {
          const digest = createHash("sha256")
            .update(kind)
            .update(Buffer.from([0]))
            .update(term, "utf8")
            .digest("hex");
          expect(termHash(kind, term)).toBe(BigInt.asIntN(64, BigInt(`0x${digest.slice(0, 16)}`)));
        },
      ),
    );
  });

  it("tells the two lexeme sets apart", () => {
    expect(termHash("exact", "run")).not.toBe(termHash("stemmed", "run"));
  });

  it("hashes terms of any length", () => {
    expect(termHash("exact", "a".repeat(65_536))).not.toBe(termHash("exact", "a".repeat(65_535)));
  });
});
