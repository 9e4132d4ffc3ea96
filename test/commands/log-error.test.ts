import { describe, expect, it } from "@jest/globals";
import { logError } from "../../src/commands/log-error.js";

describe("logError", () => {
  it("keeps code and names of a database error, and nothing that could quote a stored text", () => {
    const error = Object.assign(new Error("invalid input: canary-1"), {
      code: "22P02",
      detail: "Failing row contains (canary-2).",
      query: "select canary-3",
      params: ["canary-4"],
      where: "canary-5",
      table: "memories",
    });
    const logged = JSON.stringify(logError(new Error("outer", { cause: error })));
    expect(logged).toContain("22P02");
    expect(logged).toContain("memories");
    expect(logged).not.toContain("canary");
  });

  it("keeps message and stack of any other error", () => {
    expect(logError(new RangeError("too far"))).toMatchObject({ type: "RangeError", message: "too far" });
  });
});
