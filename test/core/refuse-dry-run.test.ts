import { expect, it } from "@jest/globals";
import { refuseDryRun } from "../../src/core/refuse-dry-run.js";

it("refuses dry_run, whatever its value, and says what can be previewed", () => {
  for (const given of [true, false, "true", null]) {
    expect(() => {
      refuseDryRun(given, "POST /v1/memories");
    }).toThrow(/invalid_request: dry_run: POST \/v1\/memories cannot be previewed.*POST \/v1\/erase/);
  }
});

it("lets pass what does not ask for it", () => {
  refuseDryRun(undefined, "POST /v1/memories");
});
