import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { BatchingReceipt } from "../../src/embeddings/batching/receipt.js";
import type { Embedder } from "../../src/embeddings/embedder.js";
import { cosine } from "../support/cosine.js";

interface EmbedderUnderTest {
  readonly name: string;
  /** A new embedder that the suite closes. */
  readonly create: () => Promise<Embedder>;
}

const BLANKS = ["", " ", "\n\t\r\n", "\u3000\ufeff"];
const INVISIBLE = ["\u0000", "\u200b"];
const ODD = [
  "\ud83d half an emoji",
  "[SEP] [CLS] [MASK]",
  "👨‍👩‍👧‍👦",
  "家族は東京に住んでいます",
  "e\u0301".repeat(40),
  "[UNK]",
];

/** Texts of 64 KiB that are hard in different ways; each costs the WASM engine ten seconds or more, so one runs on all. */
const HUGE = ["x".repeat(65_536), "\u0000".repeat(65_536), "\n".repeat(65_535) + "x", "😀".repeat(16_384)];

/** What every embedder promises (`Embedder` in `src/embeddings/embedder.ts`). */
export function describeEmbedder({ name, create }: EmbedderUnderTest): void {
  describe(`the embedder contract on ${name}`, () => {
    let embedder: Embedder;

    beforeAll(async () => {
      embedder = await create();
    });

    afterAll(() => embedder.close());

    itReturnsVectors(() => embedder);
    itTakesAnyText(() => embedder);
    itStopsWhenTold(() => embedder);
    itCloses(create);
  });
}

function itReturnsVectors(subject: () => Embedder): void {
  it("returns one vector of the space per text, in the order of the texts", async () => {
    const texts = ["tea", "the cat sat on the mat and looked at the moon for a while", "green tea", "a".repeat(50)];
    const embedded = await subject().embedDocuments(texts);
    expect(embedded.map((each) => each.vector.length)).toEqual(texts.map(() => subject().space.dimensions));
    for (const [index, text] of texts.entries()) {
      const alone = await subject().embedQuery(text);
      expect(cosine(alone, embedded[index]?.vector)).toBeCloseTo(1, 5);
    }
  });

  it("returns nothing for no texts", async () => {
    expect(await subject().embedDocuments([])).toEqual([]);
  });

  it("takes more texts than its batch size", async () => {
    const texts = Array.from({ length: subject().batchSize * 2 + 1 }, (_, index) => `note number ${String(index)}`);
    const embedded = await subject().embedDocuments(texts);
    expect(embedded).toHaveLength(texts.length);
    expect(cosine(await subject().embedQuery(texts.at(-1) ?? ""), embedded.at(-1)?.vector)).toBeCloseTo(1, 5);
  });

  it("puts related texts nearer to each other than unrelated ones", async () => {
    const query = await subject().embedQuery("Where does Anna keep her green bicycle?");
    const [near, far] = await subject().embedDocuments([
      "Anna keep her green bicycle in the shed",
      "Interest rates rose again last quarter",
    ]);
    expect(cosine(query, near?.vector)).toBeGreaterThan(cosine(query, far?.vector) + 0.2);
  });

  it("keeps simultaneous calls apart", async () => {
    const texts = Array.from({ length: 20 }, (_, index) => `item ${String(index)} of ${"many ".repeat(index)}`);
    const together = await Promise.all(texts.map((text) => subject().embedQuery(text)));
    const inOrder = await subject().embedDocuments(texts);
    together.forEach((vector, index) => {
      expect(cosine(vector, inOrder[index]?.vector)).toBeCloseTo(1, 5);
    });
  });
}

function itTakesAnyText(subject: () => Embedder): void {
  it.each([
    ["invisible", INVISIBLE],
    ["odd", ODD],
    ["64 KiB", HUGE],
  ])("gives every %s text a usable vector", async (_, texts) => {
    for (const { vector } of await subject().embedDocuments(texts)) {
      expect(Math.hypot(...vector)).toBeGreaterThan(1e-15);
      expect(vector.every((component) => Number.isFinite(component))).toBe(true);
    }
  });

  it.each(BLANKS)("refuses the blank text %j, alone and among others", async (blank) => {
    expect(subject().refusalOf(blank)).toMatchObject({ reason: "blank" });
    const embedding = subject().embedDocuments(["tea", blank]);
    await expect(embedding).rejects.toMatchObject({
      ...{ code: "embedding_unavailable", kind: "input_refused", reason: "blank", position: 1 },
    });
    await expect(subject().embedQuery(blank)).rejects.toMatchObject({ kind: "input_refused" });
  });

  it("says nothing against a text that it embeds", () => {
    expect([...INVISIBLE, ...ODD, ...HUGE].map((text) => subject().refusalOf(text))).toEqual(
      [...INVISIBLE, ...ODD, ...HUGE].map(() => undefined),
    );
  });

  it("gives one receipt for a run, and none for no texts", async () => {
    const receipts: BatchingReceipt[] = [];
    const onReceipt = (receipt: BatchingReceipt): void => void receipts.push(receipt);
    await subject().embedDocuments([], { onReceipt });
    await subject().embedDocuments(["tea", "x".repeat(65_536), " tea "], { onReceipt });
    const { provider, model } = subject().space;
    expect(receipts).toEqual([
      expect.objectContaining({ provider, model, requests: 1, truncated_inputs: 1, deduplicated_inputs: 1 }),
    ]);
  });

  it("says whether a text was cut", async () => {
    const [short, long] = await subject().embedDocuments(["a short text", "x".repeat(65_536)]);
    expect(short?.truncated).toBe(false);
    expect(long?.truncated).toBe(true);
  });
}

function itStopsWhenTold(subject: () => Embedder): void {
  it("rejects with the reason of a signal that is already aborted", async () => {
    const signal = AbortSignal.abort("gave up before");
    await expect(subject().embedDocuments(["tea"], { signal })).rejects.toBe("gave up before");
    await expect(subject().embedQuery("tea", { signal })).rejects.toBe("gave up before");
  });

  it("rejects at once with the signal's reason when aborted on the way", async () => {
    const caller = new AbortController();
    const texts = Array.from({ length: 200 }, (_, index) => `note ${String(index)} ${"word ".repeat(30)}`);
    const embedding = subject().embedDocuments(texts, { signal: caller.signal });
    caller.abort("gave up");
    await expect(embedding).rejects.toBe("gave up");
    expect(await subject().embedQuery("still works")).toHaveLength(subject().space.dimensions);
  });
}

function itCloses(create: () => Promise<Embedder>): void {
  it("rejects what is pending and what comes later once it is closed", async () => {
    const embedder = await create();
    const texts = Array.from({ length: 200 }, (_, index) => `note ${String(index)} ${"word ".repeat(30)}`);
    const pending = expect(embedder.embedDocuments(texts)).rejects.toMatchObject({ code: "embedding_unavailable" });
    await embedder.close();
    await embedder.close();
    await pending;
    await expect(embedder.embedQuery("tea")).rejects.toMatchObject({ code: "embedding_unavailable" });
  });
}
