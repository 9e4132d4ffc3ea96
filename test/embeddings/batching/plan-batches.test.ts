import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { planBatches, type PlanRules } from "../../../src/embeddings/batching/plan-batches.js";
import { httpProvider } from "../../../src/embeddings/remote/http-provider.js";
import { ollamaFormat } from "../../../src/embeddings/remote/ollama-format.js";
import { openAiFormat } from "../../../src/embeddings/remote/openai-format.js";
import { voyageFormat } from "../../../src/embeddings/remote/voyage-format.js";

const MODEL = { model: 'a "model"/ü', dimensions: 8 };
const FORMATS = { openai: openAiFormat(MODEL), ollama: ollamaFormat(MODEL.model), voyage: voyageFormat(MODEL) };
const PROVIDERS = ["openai", "ollama", "voyage"] as const;

/** Bytes of the body that is really sent. */
function bodyBytes(provider: (typeof PROVIDERS)[number], texts: readonly string[]): number {
  return Buffer.byteLength(JSON.stringify(FORMATS[provider].writeRequest(texts, "document")));
}

function rules(provider: (typeof PROVIDERS)[number], more: Partial<PlanRules> = {}): PlanRules {
  const size = httpProvider(provider, MODEL).sizeOf("document");
  return { size, prefix: "", maxChars: undefined, batchSize: 32, maxRequestBytes: 262_144, ...more };
}

const hardText = fc.string({ unit: "binary", minLength: 1, maxLength: 40 });

describe.each(PROVIDERS)("a plan for %s", (provider) => {
  it("counts every request to the byte, and fills it as far as the ceiling allows", () => {
    const inputs = fc.array(
      hardText.filter((text) => text.trim() !== ""),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(inputs, fc.integer({ min: 400, max: 900 }), (texts, maxRequestBytes) => {
        const given = rules(provider, { maxRequestBytes });
        const { texts: unique, batches } = planBatches(texts, given);
        expect(batches.flatMap(({ start, end }) => unique.slice(start, end))).toEqual(unique);
        batches.forEach(({ start, end }) => {
          const bytes = bodyBytes(provider, unique.slice(start, end));
          const content = unique.slice(start, end).reduce((sum, text) => sum + given.size.text(text), 0);
          expect(given.size.overhead(end - start) + content).toBe(bytes);
          expect(bytes).toBeLessThanOrEqual(maxRequestBytes);
          const withNext = unique.slice(start, end + 1);
          const isFull = end === unique.length || withNext.length > 32;
          if (!isFull) expect(bodyBytes(provider, withNext)).toBeGreaterThan(maxRequestBytes);
        });
      }),
    );
  });

  it("refuses a text from the first byte that is too many in a request of its own", () => {
    const text = 'é"\n😀';
    const exact = bodyBytes(provider, [text]);
    expect(planBatches([text], rules(provider, { maxRequestBytes: exact })).batches).toHaveLength(1);
    const plan = (): unknown => planBatches(["a", text], rules(provider, { maxRequestBytes: exact - 1 }));
    expect(plan).toThrow(expect.objectContaining({ kind: "input_refused", reason: "too_large", position: 1 }));
  });
});

describe("a plan", () => {
  it("has each text once, in the order of first use, and knows who asked for it", () => {
    const plan = planBatches(["b", " a", "b ", "c", "a"], rules("openai", { batchSize: 2 }));
    expect(plan.texts).toEqual(["b", "a", "c"]);
    expect(plan.inputs.map(({ text }) => text)).toEqual([0, 1, 0, 2, 1]);
    expect(plan.positions).toEqual([0, 1, 3]);
    expect(plan.batches).toEqual([
      { start: 0, end: 2 },
      { start: 2, end: 3 },
    ]);
  });

  it("trims before it cuts, so that leading blanks cost a text nothing", () => {
    const plan = planBatches([`${" ".repeat(5000)}the text`], rules("openai", { maxChars: 3 }));
    expect(plan.texts).toEqual(["the"]);
    expect(plan.inputs).toEqual([{ text: 0, truncated: true }]);
  });

  it("says that a text was cut for each input, also where the rest is the same", () => {
    const plan = planBatches(["abc", "abcd"], rules("openai", { maxChars: 3 }));
    expect(plan.texts).toEqual(["abc"]);
    expect(plan.inputs.map(({ truncated }) => truncated)).toEqual([false, true]);
  });

  it.each([
    ["only blanks", " \n\t ", undefined],
    ["nothing", "", undefined],
    ["a first character that does not fit", "👨‍👩‍👧‍👦 and more", 4],
  ])("refuses %s, naming the position", (_, text, maxChars) => {
    const plan = (): unknown => planBatches(["fine", text], rules("openai", { maxChars }));
    expect(plan).toThrow(expect.objectContaining({ kind: "input_refused", reason: "blank", position: 1 }));
  });

  it("counts the prefix as bytes but not as characters of the text", () => {
    const prefixed = { prefix: "search_document: ", maxChars: 4 };
    const { texts } = planBatches(["abcdef"], rules("openai", prefixed));
    expect(texts).toEqual(["search_document: abcd"]);
    const exact = bodyBytes("openai", texts);
    const plan = (): unknown => planBatches(["abcdef"], rules("openai", { ...prefixed, maxRequestBytes: exact - 1 }));
    expect(plan).toThrow(expect.objectContaining({ reason: "too_large" }));
  });
});
