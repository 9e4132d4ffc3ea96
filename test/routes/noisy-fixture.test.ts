import { describe, expect, it } from "@jest/globals";
import { AGAIN_COSINE, CORPUS, TOPICS, VECTORS, type Role } from "../fixtures/noisy/corpus.js";
import { UNRELATED } from "../fixtures/noisy/fixed-vectors.js";
import { cosine } from "../support/cosine.js";

const FLOOR = 0.3;
const between = (a: string, b: string): number => cosine(VECTORS.vectorOf(a), VECTORS.vectorOf(b));
const count = (role: Role): number => CORPUS.filter((entry) => entry.role === role).length;

describe("the noisy corpus", () => {
  it("has at least 400 memories, no text twice, and at least 20 questions", () => {
    expect(CORPUS.length).toBeGreaterThanOrEqual(400);
    expect(new Set(CORPUS.map((entry) => entry.fields.content)).size).toBe(CORPUS.length);
    expect(new Set(TOPICS.map((topic) => topic.query)).size).toBeGreaterThanOrEqual(20);
  });

  it("is noise for the most part, most of it important and of this moment", () => {
    expect(count("noise")).toBe(300);
    expect(new Set(CORPUS.map((entry) => entry.fields.source_site)).size).toBe(5);
    const loud = CORPUS.filter((entry) => entry.role === "noise" && entry.fields.importance === 1);
    expect(loud).toHaveLength(200);
    const faint = CORPUS.filter((entry) => entry.role === "fact" && entry.fields.importance === 0);
    expect(faint.length).toBeGreaterThanOrEqual(20);
  });

  it("has the cosines that it states", () => {
    for (const topic of TOPICS) {
      for (const { text, cosine: stated } of [...topic.facts, ...(topic.tangents ?? []), ...topic.below]) {
        expect([text, between(topic.query, text)]).toEqual([text, expect.closeTo(stated, 6)]);
      }
      const original = topic.facts[topic.againOf ?? 0]!;
      expect(between(topic.again, original.text)).toBeCloseTo(AGAIN_COSINE, 6);
      expect(between(topic.query, topic.again)).toBeGreaterThan(FLOOR);
      for (const tangent of topic.tangents ?? []) expect(tangent.cosine).toBeGreaterThan(FLOOR);
      for (const each of topic.below) expect(each.cosine).toBeLessThan(FLOOR);
    }
  });

  it("is unrelated where it does not say otherwise", () => {
    const stray = TOPICS.flatMap((topic) =>
      CORPUS.filter((entry) => entry.topic !== topic).flatMap(({ fields: { content } }) => {
        const found = between(topic.query, content);
        return found >= UNRELATED.least && found <= UNRELATED.most ? [] : [{ query: topic.query, content, found }];
      }),
    );
    expect(stray).toEqual([]);
  });
});
