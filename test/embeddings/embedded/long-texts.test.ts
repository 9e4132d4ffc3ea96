import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { createEmbedder } from "../../../src/embeddings/create-embedder.js";
import type { Embedder } from "../../../src/embeddings/embedder.js";
import { cosine } from "../../support/cosine.js";
import { embeddedSettings } from "../../support/embedded-settings.js";

const FILLER = "The annual report describes revenue, costs and the outlook for the coming fiscal year. ";
const FACT = "My daughter Mia is allergic to peanuts and carries an adrenaline pen. ".repeat(6);

describe("a text beyond the model's window", () => {
  let embedder: Embedder;

  beforeAll(async () => {
    embedder = await createEmbedder(embeddedSettings());
  });

  afterAll(() => embedder.close());

  it("is found by what stands at its end", async () => {
    const query = await embedder.embedQuery("What is Mia allergic to?");
    const [withFact, without] = await embedder.embedDocuments([FILLER.repeat(25) + FACT, FILLER.repeat(30)]);
    expect(withFact?.truncated).toBe(false);
    expect(cosine(query, withFact?.vector)).toBeGreaterThan(cosine(query, without?.vector) + 0.1);
  });

  it.each([
    ["English", FILLER.repeat(754)],
    ["single letters", "a ".repeat(32_768)],
    ["ideographs", "記憶".repeat(10_922)],
  ])("may have 64 KiB of %s, and says that it was cut", async (_, text) => {
    const [embedded] = await embedder.embedDocuments([text]);
    expect(embedded?.truncated).toBe(true);
    expect(Math.hypot(...(embedded?.vector ?? []))).toBeCloseTo(1, 5);
  });
});
