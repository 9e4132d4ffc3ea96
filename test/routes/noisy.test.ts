import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { CORPUS, isRelevant, mayComeBack, NOW, TOPICS, VECTORS, type Entry } from "../fixtures/noisy/corpus.js";
import type { Topic } from "../fixtures/noisy/topic.js";
import { startApi, type Api, type DecisionBody, type SearchBody } from "../support/api.js";
import { storeNoisyCorpus, type Surface } from "../support/noisy-surfaces.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";

const FLOOR = 0.3;
const LEAST_PRECISION = 0.8;

let database: TestDatabase;
let api: Api;
/** What each surface answered to each topic's query, as it was asked. */
let answers: { readonly surface: Surface; readonly topic: Topic; readonly found: SearchBody }[];
let surfaces: Surface[];

beforeAll(async () => {
  database = await openTestDatabase();
  api = await startApi({ db: database.db, embedder: VECTORS, clock: () => NOW });
  surfaces = await storeNoisyCorpus(api, NOW);
  answers = [];
  for (const surface of surfaces) {
    for (const topic of TOPICS) {
      answers.push({ surface, topic, found: await surface.search({ query: topic.query }) });
    }
  }
}, 60_000);

afterAll(async () => {
  await api.close();
  await database.close();
});

const relevantOf = (topic: Topic): Entry[] => CORPUS.filter((entry) => isRelevant(entry, topic));

const contentsOf = (entries: readonly Entry[]): string[] => entries.map((entry) => entry.fields.content);

/** The texts of what came back, in order; an id that is none of the corpus shows itself. */
const textsOf = (surface: Surface, found: readonly { readonly id: string }[]): string[] =>
  found.map(({ id }) => surface.entryOf(id)?.fields.content ?? `not of the corpus: ${id}`);

const decisionsOf = (found: SearchBody): DecisionBody[] => found.filter_decisions ?? [];
const decisionOf = (found: SearchBody, id: string) => decisionsOf(found).find((decision) => decision.id === id);

/** The texts of what reached the floor, whether there was room for it or not. */
const passing = (surface: Surface, found: SearchBody): string[] =>
  textsOf(
    surface,
    decisionsOf(found).filter((decision) => decision.relevance >= FLOOR),
  );

/** The share of answers among the first k, k being how many answers there are; what is missing counts as wrong. */
function precisionAtK({ surface, topic, found }: (typeof answers)[number]): number {
  const k = relevantOf(topic).length;
  const first = found.memories.slice(0, k).map(({ id }) => surface.entryOf(id));
  return first.filter((entry) => entry !== undefined && isRelevant(entry, topic)).length / k;
}

/** The share of answers among all that came back; 0 where nothing did. */
function precisionOfReply({ surface, topic, found }: (typeof answers)[number]): number {
  const entries = found.memories.map(({ id }) => surface.entryOf(id));
  return entries.filter((entry) => entry !== undefined && isRelevant(entry, topic)).length / Math.max(1, found.count);
}

function meanBySurface(measure: (answer: (typeof answers)[number]) => number): Record<string, number> {
  const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  return Object.fromEntries(
    surfaces.map((surface) => [surface.name, mean(answers.filter((each) => each.surface === surface).map(measure))]),
  );
}

describe("retrieval from noise", () => {
  it("has mean precision@k of at least .8 on every surface", () => {
    const precision = { "precision@k": meanBySurface(precisionAtK), "of the reply": meanBySurface(precisionOfReply) };
    const least = Math.min(...Object.values(precision).flatMap((bySurface) => Object.values(bySurface)));
    const shown = JSON.stringify(precision);
    expect(`${shown} ${least >= LEAST_PRECISION ? "is enough" : "is too little"}`).toBe(`${shown} is enough`);
  });

  it("gates every one of the questions as a direct one", () => {
    for (const { topic, found } of answers) {
      const { reason, threshold, verdict } = found.gate;
      const expected = { reason: "direct_query_default", threshold: FLOOR, verdict: "relevant" };
      expect({ query: topic.query, reason, threshold, verdict }).toEqual({ query: topic.query, ...expected });
    }
  });

  it("brings back every answer, and nothing of the exclusion list", () => {
    const wrong = answers.flatMap(({ surface, topic, found }) => {
      const may = contentsOf(CORPUS.filter((entry) => mayComeBack(entry, topic)));
      const returned = textsOf(surface, found.memories);
      const excluded = [...passing(surface, found), ...returned].filter((text) => !may.includes(text));
      const missed = contentsOf(relevantOf(topic)).filter((text) => !returned.includes(text));
      return excluded.length + missed.length === 0 ? [] : [{ on: surface.name, topic: topic.name, excluded, missed }];
    });
    expect(wrong).toEqual([]);
  });

  it("needs every exception from the exclusion list", () => {
    for (const topic of TOPICS) {
      const passed = answers
        .filter((each) => each.topic === topic)
        .flatMap(({ surface, found }) => passing(surface, found));
      const may = contentsOf(CORPUS.filter((entry) => mayComeBack(entry, topic)));
      expect([topic.name, may.filter((text) => !passed.includes(text))]).toEqual([topic.name, []]);
      expect([topic.name, topic.byWords?.filter((text) => !may.includes(text)) ?? []]).toEqual([topic.name, []]);
    }
  });

  it("names every considered memory once, what it dropped with the stage that did", () => {
    for (const { topic, surface, found } of answers) {
      const decisions = decisionsOf(found);
      expect(decisions).toHaveLength(found.gate.considered);
      expect(new Set(decisions.map((decision) => decision.id)).size).toBe(decisions.length);
      expect(textsOf(surface, decisions).filter((text) => text.startsWith("not of the corpus"))).toEqual([]);
      const kept = decisions.filter((decision) => decision.decision === "kept");
      expect(kept.map((decision) => decision.id)).toEqual(found.memories.map((memory) => memory.id));
      const misnamed = decisions.filter(({ decision, stage, reason, relevance }) => {
        const [atStage, because] = relevance >= FLOOR ? ["limit", "over_limit"] : ["gate", "below_threshold"];
        return decision === "dropped" && (stage !== atStage || reason !== because);
      });
      expect(misnamed).toEqual([]);
      for (const entry of CORPUS.filter((each) => each.topic === topic && !mayComeBack(each, topic))) {
        expect(decisionOf(found, surface.idOf(entry))).toMatchObject({ decision: "dropped", stage: "gate" });
      }
    }
  });

  it("ranks no tangent above an answer, however fresh and important it is", () => {
    for (const { surface, topic, found } of answers) {
      const answering = found.memories.map(({ id }) => isRelevant(surface.entryOf(id)!, topic));
      expect([surface.name, topic.name, answering.lastIndexOf(true)]).toEqual([
        ...[surface.name, topic.name, relevantOf(topic).length - 1],
      ]);
    }
  });

  it("gives a memory one relevance, on whichever surface and whoever hides what from whom", () => {
    const reference = new Map<string, number>();
    const different = answers.flatMap(({ surface, topic, found }) =>
      decisionsOf(found).flatMap(({ id, relevance }) => {
        const key = `${topic.name}: ${surface.entryOf(id)?.fields.content ?? id}`;
        const first = reference.get(key) ?? relevance;
        reference.set(key, first);
        return Math.abs(relevance - first) < 1e-9 ? [] : [{ on: surface.name, key, relevance, first }];
      }),
    );
    expect(different).toEqual([]);
  });
});

describe("a memory below the floor", () => {
  const rescued = TOPICS.flatMap((topic) => {
    const entry = CORPUS.find((each) => each.topic === topic && each.fields.importance === 0 && each.role === "below");
    return entry === undefined ? [] : [{ topic, entry }];
  }).slice(0, 3);

  it("is not rescued by importance 1 and an event of this moment", async () => {
    expect(rescued).toHaveLength(3);
    for (const surface of surfaces) {
      for (const { topic, entry } of rescued) {
        const id = surface.idOf(entry);
        const unchanged = { importance: entry.fields.importance, event_at: entry.fields.event_at };
        await surface.change(id, unchanged);
        const before = decisionOf(await surface.search({ query: topic.query }), id)!;
        expect(before).toMatchObject({ decision: "dropped", stage: "gate" });
        await surface.change(id, { importance: 1, event_at: NOW.toISOString() });
        await expectDropped(surface, topic, before);
        const { relevance } = before;
        const at = await surface.search({ query: topic.query, threshold: relevance, limit: 100 });
        expect(decisionOf(at, id)).toMatchObject({ decision: "kept", reason: "meets_threshold", relevance });
      }
    }
  });

  /** Fails unless the memory stays out, with all scores but the legacy one, at every floor above its relevance. */
  async function expectDropped(surface: Surface, topic: Topic, before: DecisionBody): Promise<void> {
    const { id, relevance, ranking_score } = before;
    for (const more of [{}, { gate_mode: "strict" }, { threshold: relevance + 1e-6, limit: 100 }]) {
      const found = await surface.search({ query: topic.query, ...more });
      const after = decisionOf(found, id);
      expect(after).toMatchObject({ decision: "dropped", stage: "gate", reason: "below_threshold", relevance });
      expect(after?.ranking_score).toBeCloseTo(ranking_score, 9);
      expect(after?.score).toBeGreaterThan(before.score + 1.9);
      expect(found.memories.map((memory) => memory.id)).not.toContain(id);
    }
  }
});

describe("a filter over noise", () => {
  /** One topic of each namespace. */
  const byNamespace = new Map(TOPICS.map((topic) => [topic.namespace, topic]));

  /** Fails unless exactly what the filter allows was considered, and what passes the floor of it was kept. */
  async function expectOnly(surface: Surface, topic: Topic, filter: object, allows: (entry: Entry) => boolean) {
    const found = await surface.search({ query: topic.query, gate_mode: "strict", limit: 100, ...filter });
    const allowed = CORPUS.filter(allows);
    const what = [surface.name, topic.name, filter];
    expect([what, textsOf(surface, decisionsOf(found)).sort()]).toEqual([what, contentsOf(allowed).sort()]);
    const passing = contentsOf(allowed.filter((entry) => mayComeBack(entry, topic))).sort();
    expect([what, textsOf(surface, found.memories).sort()]).toEqual([what, passing]);
  }

  it("by namespace lets in neither what has none nor what only begins alike", async () => {
    for (const surface of surfaces) {
      for (const [namespace_scope, topic] of byNamespace) {
        await expectOnly(surface, topic, { namespace_scope }, ({ fields: { namespace } }) => {
          return namespace === namespace_scope || (namespace?.startsWith(`${namespace_scope}/`) ?? false);
        });
      }
    }
  });

  it("by source lets in nothing of another source, gated or not", async () => {
    for (const surface of surfaces) {
      for (const [index, source_site] of [
        "mail.google.com",
        "drive.google.com",
        "slack",
        "calendar.google.com",
      ].entries()) {
        const topic = TOPICS[index]!;
        const isFrom = (entry: Entry): boolean => entry.fields.source_site === source_site;
        await expectOnly(surface, topic, { source_site }, isFrom);
        const found = await surface.search({ query: topic.query, source_site, limit: 100 });
        expect(found.gate).toMatchObject({ threshold: null, reason: "source_site_filter" });
        expect(textsOf(surface, found.memories).sort()).toEqual(
          CORPUS.filter(isFrom)
            .map((entry) => entry.fields.content)
            .sort(),
        );
        expect(isRelevant(surface.entryOf(found.memories[0]!.id)!, topic)).toBe(true);
      }
    }
  });
});
