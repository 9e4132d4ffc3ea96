import { describe, expect, it } from "@jest/globals";
import * as limits from "../../src/core/limits.js";

describe("limits", () => {
  it("are those of the wire contract", () => {
    expect(limits).toMatchObject({
      ...{ CONTENT_MIN_BYTES: 1, CONTENT_MAX_BYTES: 65_536, TAGS_MAX: 32, TAG_MAX_BYTES: 128 },
      ...{ METADATA_MAX_BYTES: 32_768, METADATA_MAX_DEPTH: 32, NAME_MAX_BYTES: 256, EPISODE_TYPE_MAX_BYTES: 64 },
      ...{ NAMESPACE_MAX_BYTES: 256, SOURCE_URL_MAX_BYTES: 2_048, QUERY_MIN_BYTES: 1, QUERY_MAX_BYTES: 4_096 },
      ...{ LIMIT_MIN: 1, LIMIT_MAX: 100, BATCH_MAX: 500, PAGE_MIN: 1, PAGE_MAX: 200, PAGE_DEFAULT: 50 },
      ADAPTIVE_LIMITS_DEFAULT: { simple: 5, medium: 5, complex: 8, multi_hop: 12, aggregation: 25 },
    });
  });
});
