import fc from "fast-check";

/** What one item of a create or a batch says; sources are numbers of memories, taken modulo how many there are. */
export interface ItemChoice {
  readonly content: string;
  readonly tags: readonly string[];
  readonly externalId: string | null;
  readonly sources: readonly number[];
}

interface Keyed {
  readonly scope: 0 | 1;
  /** The Idempotency-Key; few, so that they meet again. */
  readonly key: string | undefined;
}

/** One step of a random history; `target` is the number of a memory, modulo how many there are. */
export type Command =
  | (Keyed & {
      readonly type: "create" | "batch";
      readonly items: readonly ItemChoice[];
      readonly returnExisting: boolean;
      readonly embedderDown: boolean;
    })
  | (Keyed & {
      readonly type: "patch";
      readonly target: number;
      readonly content: string | undefined;
      readonly tags: readonly string[] | undefined;
      readonly externalId: string | null | undefined;
      readonly embedderDown: boolean;
    })
  | (Keyed & { readonly type: "delete"; readonly target: number })
  | (Keyed & { readonly type: "delete_by_tag"; readonly tag: string })
  | (Keyed & { readonly type: "review"; readonly target: number; readonly action: "approve" | "reject" | "reset" })
  | { readonly type: "embed" }
  /** Sends an earlier command again, by number. */
  | { readonly type: "resend"; readonly target: number };

/** The same words twice under normalisation, and others. */
const content = fc.constantFrom("alpha", " alpha\n", "alpha beta", "alpha  beta", "caf\u00e9", "cafe\u0301", "gamma");
const tags = fc.constantFrom<readonly string[]>([], ["red"], ["blue", "red"]);
const externalId = fc.constantFrom(null, null, null, "e1", "e2");
const number = fc.nat(50);
const keyed = {
  scope: fc.constantFrom(0 as const, 1 as const),
  key: fc.constantFrom(undefined, undefined, "k1", "k2", "k3"),
};

const item: fc.Arbitrary<ItemChoice> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ content, tags, externalId, sources: fc.constant([]) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      content,
      tags,
      externalId: fc.constant(null),
      sources: fc.uniqueArray(number, { minLength: 1, maxLength: 2 }),
    }),
  },
);

const written = { ...keyed, returnExisting: fc.boolean(), embedderDown: fc.boolean() };

const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constant("create" as const), ...written, items: fc.tuple(item) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant("batch" as const),
      ...written,
      items: fc.array(item, { minLength: 2, maxLength: 4 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant("patch" as const),
      ...keyed,
      target: number,
      content: fc.option(content, { nil: undefined }),
      tags: fc.option(tags, { nil: undefined }),
      externalId: fc.constantFrom(undefined, undefined, undefined, null, "e1", "e2"),
      embedderDown: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("delete" as const), ...keyed, target: number }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant("delete_by_tag" as const),
      ...keyed,
      tag: fc.constantFrom("red", "blue"),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant("review" as const),
      ...keyed,
      target: number,
      action: fc.constantFrom("approve" as const, "reject" as const, "reset" as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("embed" as const) }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("resend" as const), target: number }) },
);

export const histories = fc.array(command, { minLength: 5, maxLength: 30, size: "max" });
