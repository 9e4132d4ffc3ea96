import { afterAll, beforeAll, expect, it } from "@jest/globals";
import fc from "fast-check";
import type { Memory, Review } from "../../src/core/memory.js";
import { verifyScope } from "../../src/services/verify.js";
import { MemoryWorld, startSystem, type MemorySystem } from "../support/memory-world.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";

let database: TestDatabase;
let system: MemorySystem;

beforeAll(async () => {
  database = await openTestDatabase();
  system = await startSystem(database.db);
});

afterAll(async () => {
  await system.close();
  await database.close();
});

const START = Date.parse("2030-01-01T00:00:00Z");
const HOUR = 3_600_000;
const DEEPEST = 8;

/** Numbers stand for memories, modulo how many there are; times are hours after the start, null for none. */
type Step =
  | { readonly do: "store"; readonly sources: readonly number[]; readonly expires: number | null }
  | { readonly do: "replace"; readonly which: number; readonly content: boolean; readonly expires: number | null }
  | { readonly do: "review"; readonly which: number; readonly review: Review }
  | { readonly do: "remove"; readonly which: number }
  | { readonly do: "wait"; readonly hours: number };

const which = fc.nat(1_000);
const expires = fc.option(fc.integer({ min: 1, max: 30 }), { freq: 2 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant("store"), sources: fc.array(which, { maxLength: 3 }), expires }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("replace"), which, content: fc.boolean(), expires }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("review"), which, review: fc.constantFrom("none", "approved", "rejected") }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("remove"), which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("wait"), hours: fc.integer({ min: 1, max: 6 }) }) },
);

/** A memory as the rules see it, by plain recursion over its sources. */
interface Node {
  readonly memory: Memory;
  readonly sources: readonly { readonly node: Node; readonly content: string }[];
  readonly depth: number;
  content: string;
  expires: number | null;
  review: Review;
  deleted: boolean;
}

class Model {
  readonly nodes: Node[] = [];
  hour = 0;

  /** Distinct memories that the numbers stand for. */
  pick(numbers: readonly number[]): Node[] {
    const { nodes } = this;
    return nodes.length === 0 ? [] : [...new Set(numbers.map((each) => nodes[each % nodes.length]!))];
  }

  expired(node: Node): boolean {
    return node.expires !== null && node.expires <= this.hour;
  }

  eligible(node: Node): boolean {
    if (node.deleted || node.review === "rejected" || this.expired(node)) return false;
    return node.sources.every((source) => source.node.content === source.content && this.eligible(source.node));
  }

  current(): string[] {
    return this.nodes.filter((node) => this.eligible(node)).map((node) => node.content);
  }
}

const timeOf = (hours: number | null): Date | null => (hours === null ? null : new Date(START + hours * HOUR));

/** One step in both worlds; a refusal has to be one that the model foresees. */
class Walk {
  readonly model = new Model();
  readonly world = new MemoryWorld(system);
  private contents = 0;

  async take(next: Step): Promise<void> {
    if (next.do === "store") await this.store(next);
    else if (next.do === "wait") this.model.hour += next.hours;
    else await this.change(next);
    system.now = new Date(START + this.model.hour * HOUR);
  }

  private async store(next: Extract<Step, { do: "store" }>): Promise<void> {
    const sources = this.model.pick(next.sources);
    const depth = Math.max(0, ...sources.map((source) => source.depth + 1));
    const allowed = depth <= DEEPEST && sources.every((source) => this.model.eligible(source));
    const content = this.newContent();
    const externalId = `x${String(this.model.nodes.length)}`;
    const fields = { externalId, expiresAt: timeOf(next.expires) };
    const stored = this.world.derive(
      content,
      sources.map((source) => source.memory),
      fields,
    );
    const memory = await unlessRefused(stored, allowed ? undefined : "invalid_request");
    if (memory === undefined) return;
    const pins = sources.map((node) => ({ node, content: node.content }));
    const { expires } = next;
    this.model.nodes.push({ memory, sources: pins, depth, content, expires, review: "none", deleted: false });
  }

  private async change(next: Exclude<Step, { do: "store" | "wait" }>): Promise<void> {
    const [node] = this.model.pick([next.which]);
    if (node === undefined) return;
    if (next.do === "replace") {
      if (!node.deleted) await this.replace(node, next);
      return;
    }
    const refusal = node.deleted || this.model.expired(node) ? "not_found" : undefined;
    const work = next.do === "review" ? this.world.review(node.memory, next.review) : this.world.remove(node.memory);
    await unlessRefused<unknown>(work, refusal);
    if (refusal !== undefined) return;
    if (next.do === "review") node.review = next.review;
    else node.deleted = true;
  }

  /** By its external id, since that reaches one that cannot be found, too. */
  private async replace(node: Node, next: Extract<Step, { do: "replace" }>): Promise<void> {
    node.expires = next.expires;
    if (next.content) {
      node.content = this.newContent();
      if (node.review === "approved") node.review = "none";
    }
    const { externalId } = node.memory;
    const stored = await this.world.store(node.content, { externalId, expiresAt: timeOf(next.expires) });
    expect(stored).toMatchObject({ id: node.memory.id, review: node.review });
  }

  private newContent(): string {
    this.contents += 1;
    return `content ${String(this.contents)}`;
  }
}

async function unlessRefused<T>(work: Promise<T>, code: string | undefined): Promise<T | undefined> {
  if (code === undefined) return await work;
  await expect(work).rejects.toMatchObject({ code });
  return undefined;
}

it("whatever is derived, changed, deleted, reviewed and waited for: what can be found is what the rules say", async () => {
  const steps = fc.array(step, { minLength: 20, maxLength: 60, size: "max" });
  const property = fc.asyncProperty(steps, async (taken) => {
    system.now = new Date(START);
    const walk = new Walk();
    await walk.world.store("content 0");
    for (const next of taken) {
      await walk.take(next);
      expect(await walk.world.current()).toEqual(["content 0", ...walk.model.current()].sort());
    }
    expect(await verifyScope({ db: database.db }, await walk.world.scopeId())).toEqual([]);
  });
  await fc.assert(property, { numRuns: 15 });
}, 180_000);
