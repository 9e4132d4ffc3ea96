import { randomBytes } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { hashApiKey, isApiKey, toApiKey } from "../../src/core/api-key.js";

describe("an API key", () => {
  it("is mg_ and 32 bytes in base64url", () => {
    const random = randomBytes(32);
    const key = toApiKey(random);
    expect(key.startsWith("mg_")).toBe(true);
    expect(Buffer.from(key.slice(3), "base64url")).toEqual(random);
    expect(isApiKey(key)).toBe(true);
  });

  it("has no other form", () => {
    const key = toApiKey(randomBytes(32));
    for (const text of [
      "",
      "mg_",
      key.slice(0, -1),
      `${key}A`,
      ` ${key}`,
      `${key}\n`,
      key.slice(3),
      `MG_${key.slice(3)}`,
    ])
      expect(isApiKey(text)).toBe(false);
  });

  it("is hashed with SHA-256 of its whole text", () => {
    expect(Buffer.from(hashApiKey("mg_")).toString("hex")).toBe(
      "75febaa8a2eac55e07447e71c0ce39bb1b68195757a442d2d0604e6f3dbde3da",
    );
    expect(hashApiKey("mg_a")).not.toEqual(hashApiKey("mg_b"));
  });
});
