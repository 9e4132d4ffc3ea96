import { afterAll, beforeAll, describe, expect, it, jest } from "@jest/globals";
import { createEmbedder } from "../../src/embeddings/create-embedder.js";
import type { Embedder } from "../../src/embeddings/embedder.js";
import { startApi, type Api } from "../support/api.js";
import { embeddedSettings } from "../support/embedded-settings.js";
import * as surfaces from "../support/gate-surfaces.js";
import { contentsInOrder, SURFACES, type Stored } from "../support/gate-surfaces.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";

jest.setTimeout(120_000);

let database: TestDatabase;
let embedder: Embedder;
let api: Api;
let facts: Stored;
let tickets: Stored;
let alike: Stored;

const FACTS = [
  "Ada's sister Ines is allergic to peanuts.",
  "The wifi password of the office is sunflower-42.",
  "Bob became a vegetarian in March.",
  "My dentist appointment is on Friday at ten.",
  "The ferry to Corsica leaves at nine in the morning.",
  "Anna plays chess on Thursdays with her uncle.",
  "The library closes at eight.",
  "Our landlord answers the phone only in the evening.",
  "The budget for the kitchen was approved last week.",
  "Carla moved from Lisbon to Berlin for a new job.",
  "The red bicycle has a flat tyre.",
  "Deploys to production need two approvals.",
  "Emil prefers oolong tea without sugar.",
  "The alarm code of the garage is 9182.",
  "Grandmother's birthday is the third of May.",
  "The build server runs out of disk space every month.",
  "Frida's dog is called Bruno and is afraid of thunder.",
  "The contract with the printer company ends in June.",
  "Gustav runs ten kilometres before breakfast.",
  "Invoices are sent on the first working day of a month.",
];

const PROSE =
  "The customer wrote that the parcel had arrived late and that the box was wet. We asked the carrier for a report, and " +
  "the warehouse looked through its own photographs. Nobody found a reason, so the case was passed on to the next team. ";
/** Several KB of ordinary text around one identifier. */
const LONG = `${PROSE.repeat(14)}The ticket has the number ZX-4471-Q. ${PROSE.repeat(14)}`;
const TOPICS = ["refund", "invoice", "broken lamp", "late parcel", "missing key", "new address"];
/** Tickets without a number. */
const OTHERS = Array.from(
  { length: 300 },
  (_, n) => `Customer ${String(n)} wrote to us about a ${TOPICS[n % TOPICS.length] ?? ""}, and was answered.`,
);
/** Tickets with numbers that are like the one asked for. */
const ALIKE = Array.from(
  { length: 300 },
  (_, n) => `Ticket ZX-${String(4_300 + n)}-${"QRST".charAt(n % 4)} is about a ${TOPICS[n % TOPICS.length] ?? ""}.`,
);

beforeAll(async () => {
  database = await openTestDatabase();
  embedder = await createEmbedder(embeddedSettings({ timeoutMs: 60_000 }));
  api = await startApi({ db: database.db, embedder, env: { WRITE_EMBED_WAIT_MS: "100000" } });
  facts = await surfaces.storeContents(api, ...FACTS);
  tickets = await surfaces.storeContents(api, ...OTHERS.slice(0, 150), LONG, ...OTHERS.slice(150));
  alike = await surfaces.storeContents(api, ...ALIKE.slice(0, 150), LONG, ...ALIKE.slice(150));
});

afterAll(async () => {
  await api.close();
  await embedder.close();
  await database.close();
});

describe.each(SURFACES)("with the embedded model, $name", (surface) => {
  it.each(["qqqq zzxv blorp", "Qqqq zzxv blorp?", "xyzzy plugh"])(
    "200: finds nothing for the nonsense %j among 20 facts",
    async (query) => {
      const found = await surfaces.searchOn(api, surface, facts, { query });
      expect(found.memories.map(({ content, relevance }) => [content, relevance])).toEqual([]);
      expect(found.gate).toMatchObject({ verdict: "nothing_relevant", threshold: 0.3, source: "config" });
    },
  );

  it.each([
    ["Who is allergic to peanuts?", FACTS[0]],
    ["What is the wifi password?", FACTS[1]],
    ["When does the library close?", FACTS[6]],
  ])("200: answers %j first", async (query, expected) => {
    expect(contentsInOrder(await surfaces.searchOn(api, surface, facts, { query }))[0]).toBe(expected);
  });
});

describe.each(SURFACES.filter(({ way }) => way === "hybrid" || way === "lexical"))(
  "an identifier, with the embedded model, $name",
  (surface) => {
    it.each(["ZX-4471-Q", "zx-4471-q", "What is ticket ZX-4471-Q about?"])(
      "200: has the memory of several KB that holds it first, among 300 others and among 300 alike: %s",
      async (query) => {
        expect(LONG.length).toBeGreaterThan(5_000);
        for (const stored of [tickets, alike]) {
          const { memories, gate } = await surfaces.searchOn(api, surface, stored, { query });
          expect(memories[0]?.content.slice(-2_000)).toBe(LONG.slice(-2_000));
          expect(gate.verdict).toBe("relevant");
        }
      },
    );
  },
);

it.each(SURFACES)("200: an identifier is told from 300 that are like it: $name", async (surface) => {
  expect(ALIKE.filter((each) => each.includes("ZX-4471-"))).toEqual([expect.not.stringContaining("ZX-4471-Q")]);
  const found = await surfaces.searchOn(api, surface, alike, { query: "ZX-4471-Q", threshold: 1, limit: 100 });
  expect(contentsInOrder(found)).toEqual([LONG]);
});
