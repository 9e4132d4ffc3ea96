import { afterAll, beforeAll, expect, it } from "@jest/globals";
import fc from "fast-check";
import type { Memory, Visibility } from "../../src/core/memory.js";
import type { Authors, Filters } from "../../src/core/scope.js";
import { SEARCH_MODES } from "../../src/core/search-mode.js";
import { MemoryWorld } from "../support/memory-world.js";
import { START, startPastSystem, type PastSystem } from "../support/past-world.js";
import {
  contentThen,
  standingOf,
  type Asking,
  type KnownFields,
  type KnownFilters,
  type KnownMemory,
  type KnownState,
} from "../support/search-reference.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";
import { uniqueName } from "../support/unique-name.js";

let database: TestDatabase;
let system: PastSystem;

beforeAll(async () => {
  database = await openTestDatabase();
  system = await startPastSystem(database.db);
});

afterAll(async () => {
  await system.close();
  await database.close();
});

const AGENTS = ["ada", "bob", "cy"] as const;
const QUERY = "zorka blit";
const second = (n: number): Date => new Date(START + n * 1_000);

const fields = {
  content: fc.constantFrom("zorka", "zorka blit", "kremp blit", "kremp", "!", "zorka zorka kremp"),
  tags: fc.constantFrom<readonly string[]>([], ["red"], ["red", "blue"], ["Red"]),
  namespace: fc.constantFrom(null, "a", "a/b", "ab", "a/b/c"),
  sourceSite: fc.constantFrom(null, "slack", "slack.com"),
  sessionId: fc.constantFrom(null, "s1", "S1"),
  episodeType: fc.constantFrom(null, "fact", "event"),
  eventAt: fc.nat(4).map(second),
  /** Seconds of the clock. */
  expiresAt: fc.option(fc.nat(40).map(second), { freq: 2 }),
  visibility: fc.constantFrom<Visibility>("workspace", "workspace", "agent_only", "restricted"),
  metadata: fc.constantFrom({}, { k: 5 }, { k: "5" }, { k: true }, { k: null }),
};
const which = fc.nat(1_000);
const write = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant("store" as const), by: fc.constantFrom(...AGENTS), ...fields }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("change" as const), which, ...fields }, { requiredKeys: ["do", "which"] }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("change" as const), which, visibility: fields.visibility }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("review" as const), which, review: fc.constantFrom("rejected", "none") }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("remove" as const), which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("grant" as const), which, to: fc.constantFrom(...AGENTS) }) },
);
type Write = typeof write extends fc.Arbitrary<infer T> ? T : never;

const one = <T>(...values: readonly T[]) => fc.option(fc.constantFrom(...values), { nil: undefined, freq: 3 });
const search = fc.record({
  viewer: fc.constantFrom(...AGENTS),
  /** Seconds of the clock; undefined: now. */
  asOf: fc.oneof(fc.constant(undefined), fc.nat(22)),
  agentScope: one<"all" | "self" | "others" | readonly string[]>("all", "self", "others", ["bob"], ["cy", "nobody"]),
  filters: fc.record({
    namespaceScope: one("a", "a/b", "ab"),
    sourceSite: one("slack", "slack.com"),
    sessionId: one("s1"),
    episodeTypes: one(["fact"], ["fact", "event"]),
    tagsAny: one(["red"], ["blue", "Red"]),
    tagsAll: one(["red", "blue"], ["red"]),
    eventFrom: one(second(1), second(3)),
    eventBefore: one(second(2), second(4)),
    k: one<string | number | boolean | null>(5, "5", true, null),
  }),
});
type Search = typeof search extends fc.Arbitrary<infer T> ? T : never;

/** A bit for each filter. */
const mask = fc.nat(511);
/** The filters, most of them left out: all at once leave nothing. */
const searches = fc.array(fc.tuple(search, mask, mask, mask), { minLength: 2, maxLength: 4 }).map((all) =>
  all.map(([each, ...masks]): Search => {
    const kept = Object.entries(each.filters).filter((_, index) => masks.every((bits) => (bits >> index) & 1));
    return { ...each, filters: Object.fromEntries(kept) as Search["filters"] };
  }),
);

/** A scope of its own, with what was written there told to the reference. */
class Written {
  readonly known: (KnownMemory & { states: KnownState[]; readonly memory: Memory })[] = [];
  readonly root: MemoryWorld;

  constructor(readonly inWorkspace: boolean) {
    const own = { userId: uniqueName("user"), workspaceId: null };
    const shared = { userId: null, workspaceId: uniqueName("workspace") };
    const names = { project: null, mission: null, ...(inWorkspace ? shared : own) };
    this.root = new MemoryWorld(system, { names, agentId: "ada" });
  }

  /** One write at the clock's second. Whatever is gone, hidden or expired refuses it. */
  async take(next: Write): Promise<void> {
    await this.act(next).catch((error: unknown) => {
      if (!["not_found", "invalid_request"].includes((error as { code: string }).code)) throw error;
    });
  }

  private async act(next: Write): Promise<void> {
    if (next.do === "store") {
      const { do: _, by, ...given } = next;
      const stored: KnownFields = this.inWorkspace ? given : { ...given, visibility: null };
      const memory = await this.root.as(by).store(stored.content, stored);
      const states = [{ at: system.now, fields: stored, rejected: false }];
      this.known.push({ id: memory.id, author: by, granted: [], states, memory });
      return;
    }
    const target = this.known[next.which % this.known.length];
    const state = target?.states.at(-1);
    if (target === undefined || state === undefined) return;
    const author = this.root.as(target.author ?? "");
    const add = (more: Partial<KnownState>): void => void target.states.push({ ...state, at: system.now, ...more });
    if (next.do === "change") {
      const { do: _, which: __, visibility, ...given } = next;
      const patch = this.inWorkspace && visibility !== undefined ? { ...given, visibility } : given;
      await author.change(target.memory, patch);
      add({ fields: { ...state.fields!, ...patch } });
    } else if (next.do === "review") {
      await author.review(target.memory, next.review === "rejected" ? "rejected" : "none");
      add({ rejected: next.review === "rejected" });
    } else if (next.do === "remove") {
      await author.remove(target.memory);
      add({ fields: null });
    } else if (this.inWorkspace) {
      const request = { ...author.scope, id: target.id, grantee: next.to, granted: true, once: undefined };
      await system.services.setGrant(system.caller, request);
      target.granted = [...target.granted, next.to];
    }
  }
}

function authorsOf({ agentScope, viewer }: Search): Authors | undefined {
  if (agentScope === undefined || agentScope === "all") return undefined;
  if (agentScope === "others") return { not: viewer };
  return { among: agentScope === "self" ? [viewer] : agentScope };
}

/** The filters for the reference, and the same for the service. */
function filtersOf(asked: Search, inWorkspace: boolean): readonly [KnownFilters, Filters] {
  const { k, ...flat } = asked.filters;
  const scoped: Filters = inWorkspace ? { authors: authorsOf(asked) } : { agentId: agentOf(asked) };
  const field = { of: "metadata", path: ["k"] } as const;
  const tree = { kind: "test", field, test: { operator: "one_of", values: [k ?? null] } } as const;
  return [
    { ...flat, ...scoped, k },
    { ...flat, ...scoped, ...(k === undefined ? {} : { tree }) },
  ];
}

function agentOf({ agentScope, viewer }: Search): string | undefined {
  return agentScope === "self" ? viewer : undefined;
}

const holdsWord = (content: string | undefined): boolean => QUERY.split(" ").some((word) => content?.includes(word));

async function check({ known, root, inWorkspace }: Written, asked: Search): Promise<number> {
  const asOf = asked.asOf === undefined ? undefined : second(asked.asOf);
  const asking: Asking = { viewer: inWorkspace ? asked.viewer : null, at: asOf ?? system.now };
  const [filters, forService] = filtersOf(asked, inWorkspace);
  const standings = known.map((memory) => ({ memory, standing: standingOf(memory, asking, filters) }));
  const matching = standings.filter(({ standing }) => standing === "matching").map(({ memory }) => memory);
  const anyShown = standings.some(({ standing }) => standing === "matching" || standing === "filtered_out");
  for (const mode of SEARCH_MODES) {
    const request = {
      ...{ ...root.as(asked.viewer).scope, query: QUERY, mode, threshold: undefined, gateMode: "off" as const },
      ...{ limit: 100, filters: forService, asOf, explain: true },
    };
    const found = await system.services.searchMemories(system.caller, request);
    const held = (memory: KnownMemory): boolean => mode !== "lexical" || holdsWord(contentThen(memory, asking.at));
    const expected = matching.filter(held).map(({ id }) => id);
    expect(found.decisions.map(({ hit }) => hit.id).sort()).toEqual(expected.sort());
    expect(found.hits.map(({ memory }) => memory.id).sort()).toEqual(expected);
    for (const { memory } of found.hits) {
      expect(memory.content).toBe(
        contentThen(
          known.find(({ id }) => id === memory.id)!,
          asking.at,
        ),
      );
    }
    expect(found.poolTruncated).toBe(false);
    expect(found.verdict === "store_empty").toBe(!anyShown);
    const [subject] = standings.slice(-1);
    if (subject === undefined) continue;
    const reason = await system.services.explainMemory(system.caller, { ...request, memoryId: subject.memory.id }).then(
      (explained) => explained.reason,
      (error: unknown) => (error as { code: string }).code,
    );
    const whenMatching = held(subject.memory) ? "gate_off" : "outside_pool";
    expect(reason).toBe(subject.standing === "matching" ? whenMatching : subject.standing);
  }
  return matching.length;
}

it("no search shows or considers what the request may not see, and by meaning every memory that matches is considered", async () => {
  let matched = 0;
  const property = fc.asyncProperty(
    fc.boolean(),
    fc.array(write, { minLength: 8, maxLength: 20, size: "max" }),
    searches,
    async (inWorkspace, writes, all) => {
      const written = new Written(inWorkspace);
      for (const [n, next] of writes.entries()) {
        system.now = second(n + 1);
        await written.take(next);
      }
      system.now = second(writes.length + 1);
      for (const asked of all) matched += await check(written, asked);
    },
  );
  await fc.assert(property, { numRuns: 60, endOnFailure: true });
  expect(matched).toBeGreaterThan(100);
}, 180_000);
