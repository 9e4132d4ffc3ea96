import { describe, expect, it } from "@jest/globals";
import { parseRetryAfter } from "../../../src/embeddings/remote/retry-after.js";

const now = Date.parse("2026-01-01T00:00:00Z");

describe("parseRetryAfter", () => {
  it.each([
    ["seconds", "2", 2000],
    ["parts of a second", "0.5", 500],
    ["an HTTP date", "Thu, 01 Jan 2026 00:00:03 GMT", 3000],
    ["a date that has passed", "Wed, 31 Dec 2025 23:59:00 GMT", 0],
    ["a negative number", "-1", 0],
    ["nonsense", "soon", undefined],
    ["an empty header", "", undefined],
    ["no header", null, undefined],
  ])("reads %s", (_, header, expected) => {
    expect(parseRetryAfter(header, now)).toBe(expected);
  });
});
