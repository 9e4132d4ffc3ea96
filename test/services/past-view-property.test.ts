import { afterAll, beforeAll, expect, it } from "@jest/globals";
import fc from "fast-check";
import type { Memory, Visibility } from "../../src/core/memory.js";
import type { Filters } from "../../src/core/scope.js";
import { sql } from "../../src/db/sql.js";
import { verifyScope } from "../../src/services/verify.js";
import { PastWorld, startPastSystem, type PastSystem } from "../support/past-world.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";
import type { ViewRow } from "../support/view-rows.js";

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

/** Each step comes a second after the one before it. */
const SECOND = 1_000;
const WORDS = "alpha beta gamma";
const FILTERS: readonly Filters[] = [
  { tagsAny: ["red", "blue"] },
  { tagsAll: ["red", "blue"] },
  { externalId: "e1" },
  { namespaceScope: "a" },
  { agentId: "bob" },
];

const which = fc.nat(1_000);
const fields = {
  content: fc.constantFrom("alpha", "alpha beta", "beta beta gamma", "gamma", "!"),
  tags: fc.constantFrom<readonly string[]>([], ["red"], ["blue", "red"]),
  visibility: fc.constantFrom<Visibility>("workspace", "workspace", "agent_only", "restricted"),
  namespace: fc.constantFrom(null, "a", "a/b", "ab"),
  externalId: fc.constantFrom(null, null, "e1", "e2"),
  importance: fc.constantFrom(0, 1),
  /** Seconds from then. */
  expires: fc.constantFrom(null, null, null, 3, 9),
};
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("store" as const),
      by: fc.constantFrom("ada", "bob"),
      down: fc.boolean(),
      sources: fc.array(which, { maxLength: 2 }),
      ...fields,
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record(
      { do: fc.constant("change" as const), which, down: fc.boolean(), ...fields },
      { requiredKeys: ["do", "which", "down"] },
    ),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("review" as const),
      which,
      review: fc.constantFrom("none" as const, "approved" as const, "rejected" as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("remove" as const), which }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("grant" as const), which, granted: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("embed" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("erase" as const), which }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** What may well be asked of a memory that is gone, hidden or taken. */
const REFUSALS = ["not_found", "invalid_request", "external_id_conflict", "forbidden"];

/** What everyone's present view showed at a time. */
interface Snapshot {
  readonly at: Date;
  readonly rows: readonly ViewRow[];
  /** For each of {@link FILTERS}. */
  readonly matching: readonly (readonly string[])[];
}

class Walk {
  readonly world = new PastWorld(system);
  readonly snapshots: Snapshot[] = [];
  private readonly memories: Memory[] = [];

  async take(next: Step): Promise<void> {
    this.world.tick();
    system.bench.embedder.setDown("down" in next && next.down);
    await this.act(next).catch((error: unknown) => {
      if (!REFUSALS.includes((error as { code: string }).code)) throw error;
    });
    system.bench.embedder.setDown(false);
  }

  async snap(): Promise<void> {
    this.snapshots.push({
      at: system.now,
      rows: await this.world.see({ viewer: null, words: WORDS }),
      matching: await this.matching(),
    });
  }

  async matching(at?: Date): Promise<string[][]> {
    const found: string[][] = [];
    for (const filters of FILTERS) {
      const rows = await this.world.see({ viewer: null, filters, ...(at === undefined ? {} : { at }) });
      found.push(rows.map((row) => row.id));
    }
    return found;
  }

  private async act(next: Step): Promise<void> {
    if (next.do === "store") {
      await this.store(next);
      return;
    }
    if (next.do === "embed") {
      await this.world.embed();
      return;
    }
    const memory = this.memories[next.which % this.memories.length];
    if (memory === undefined) return;
    const author = this.world.ada.as(memory.agentId!);
    if (next.do === "change") {
      const { do: _do, which: _which, down: _down, expires, ...patch } = next;
      await author.change(memory, { ...patch, ...(expires === undefined ? {} : { expiresAt: later(expires) }) });
    } else if (next.do === "review") await author.review(memory, next.review);
    else if (next.do === "remove") await author.remove(memory);
    else if (next.do === "grant") await this.world.grant(memory.id, "bob", next.granted);
    else await this.world.erase(memory.id);
  }

  private async store(next: Extract<Step, { do: "store" }>): Promise<void> {
    const { by, content, sources, expires, ...given } = next;
    const known = this.memories.length;
    const from = known === 0 ? [] : [...new Set(sources.map((each) => this.memories[each % known]!))];
    const draft = { ...given, expiresAt: later(expires) };
    const memory = await this.world.ada.as(by).derive(content, from, draft);
    if (!this.memories.some(({ id }) => id === memory.id)) this.memories.push(memory);
  }

  /** Erased memories, and what was derived from them at any distance. */
  async lost(): Promise<Set<string>> {
    const rows = await (
      await this.world.ada.db()
    ).run<{ id: string }>(sql`
      select id as "id" from memories where scope_id = ${await this.world.ada.scopeId()} and erased_at is not null`);
    const lost = new Set(rows.map((row) => row.id));
    for (const { id, sourceMemoryIds } of this.memories) {
      if (sourceMemoryIds.some((source) => lost.has(source))) lost.add(id);
    }
    return lost;
  }

  /** Who may see each memory as it stands, or last stood. */
  async standing(): Promise<Map<string, Standing>> {
    const scopeId = await this.world.ada.scopeId();
    const rows = await (
      await this.world.ada.db()
    ).run<Standing & { id: string }>(sql`
      select distinct on (r.memory_id) r.memory_id as "id",
             r.visibility as "visibility",
             array(
               select g.agent_id from grants as g where g.scope_id = ${scopeId} and g.memory_id = r.memory_id) as "granted"
      from memory_revisions as r
      where r.scope_id = ${scopeId}
      order by r.memory_id, r.revision desc`);
    return new Map(rows.map((row) => [row.id, row]));
  }
}

interface Standing {
  readonly visibility: string;
  readonly granted: readonly string[];
}

function later(seconds: number | null): Date | null {
  return seconds === null ? null : new Date(system.now.getTime() + seconds * SECOND);
}

function maySee(viewer: string, row: ViewRow, standing: Standing): boolean {
  return [row.visibility, standing.visibility].every(
    (visibility) =>
      visibility === "workspace" ||
      row.agentId === viewer ||
      (visibility === "restricted" && standing.granted.includes(viewer)),
  );
}

/** A vector that was made later is there in the past. */
function withVectorsOf(rows: readonly ViewRow[], since: readonly ViewRow[]): ViewRow[] {
  const vectors = new Map(since.map((row) => [row.id, row.vector]));
  return rows.map((row) => ({ ...row, vector: row.vector ?? vectors.get(row.id) ?? null }));
}

async function compare(walk: Walk): Promise<void> {
  const [lost, standing] = [await walk.lost(), await walk.standing()];
  for (const { at, rows, matching } of walk.snapshots) {
    const past = await walk.world.see({ viewer: null, at, words: WORDS });
    const left = withVectorsOf(
      rows.filter((row) => !lost.has(row.id)),
      past,
    );
    expect(past).toEqual(left);
    expect(await walk.matching(at)).toEqual(matching.map((ids) => ids.filter((id) => !lost.has(id))));
    for (const viewer of ["ada", "bob"]) {
      const seen = left.filter((row) => maySee(viewer, row, standing.get(row.id)!));
      expect(await walk.world.see({ viewer, at, words: WORDS })).toEqual(seen);
    }
  }
}

it("whatever is written, the past at any time is what the present was, save what has been erased or hidden since", async () => {
  let compared = 0;
  const steps = fc.array(step, { minLength: 8, maxLength: 30, size: "max" });
  const property = fc.asyncProperty(steps, async (taken) => {
    const walk = new Walk();
    await walk.world.ada.store("alpha and omega");
    await walk.snap();
    for (const next of taken) {
      await walk.take(next);
      await walk.snap();
    }
    await compare(walk);
    compared += walk.snapshots.reduce((sum, { rows }) => sum + rows.length, 0);
    expect(await verifyScope({ db: database.db }, await walk.world.ada.scopeId())).toEqual([]);
  });
  await fc.assert(property, { numRuns: 12, endOnFailure: true });
  expect(compared).toBeGreaterThan(200);
}, 180_000);
