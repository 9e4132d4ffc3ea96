/** How a field of a memory's own can be compared. */
export type FieldKind = "content" | "text" | "tags" | "number" | "time" | "choice";

/** The fields of a memory that a tree can name, metadata apart. */
export const OWN_FIELDS = {
  agent_id: "text",
  content: "content",
  created_at: "time",
  episode_type: "text",
  event_at: "time",
  expires_at: "time",
  external_id: "text",
  importance: "number",
  namespace: "text",
  review: "choice",
  revision: "number",
  session_id: "text",
  source_site: "text",
  source_url: "text",
  tags: "tags",
  trust: "number",
  updated_at: "time",
  visibility: "choice",
} as const satisfies Readonly<Record<string, FieldKind>>;

export type OwnField = keyof typeof OWN_FIELDS;

/** A field of the memory's own, or the value at a path of its metadata: keys of objects, indexes of arrays. */
export type FilterField =
  { readonly of: "memory"; readonly name: OwnField } | { readonly of: "metadata"; readonly path: readonly string[] };

/** A time is compared as a time, all else as in JSON: `"5"` is not 5. */
export type FilterScalar = string | number | boolean | null | Date;

export type Comparison = "gt" | "gte" | "lt" | "lte";

/** What is asked of one field. `contains` takes a scalar where the field may be an array. */
export type FilterTest =
  | { readonly operator: "one_of"; readonly values: readonly FilterScalar[] }
  | { readonly operator: Comparison; readonly value: string | number | Date }
  | { readonly operator: "contains"; readonly value: FilterScalar }
  | { readonly operator: "icontains"; readonly value: string }
  | { readonly operator: "exists" };

/**
 * A condition on a memory, true or false and never unknown: one that cannot be judged is false, its `not` true.
 * `eq` is `one_of` one value; `ne`, `nin` and `exists: false` are the `not` of their opposites.
 */
export type FilterTree =
  | { readonly kind: "all"; readonly of: readonly FilterTree[] }
  | { readonly kind: "any"; readonly of: readonly FilterTree[] }
  | { readonly kind: "not"; readonly of: FilterTree }
  | { readonly kind: "test"; readonly field: FilterField; readonly test: FilterTest };

/** The tree that every memory passes, and the one that none does. */
export const EVERYTHING: FilterTree = { kind: "all", of: [] };
export const NOTHING: FilterTree = { kind: "any", of: [] };

/** Whether the tree decides the same for every memory, as {@link simplify} leaves it. */
export function isConstant(tree: FilterTree): boolean {
  return (tree.kind === "all" || tree.kind === "any") && tree.of.length === 0;
}

/** The same condition without the parts that decide nothing: a constant is left only where it is the whole tree. */
export function simplify(tree: FilterTree): FilterTree {
  switch (tree.kind) {
    case "all":
      return joined(tree, isNothing);
    case "any":
      return joined(tree, isEverything);
    case "not": {
      const inner = simplify(tree.of);
      if (isConstant(inner)) return inner.kind === "all" ? NOTHING : EVERYTHING;
      return { kind: "not", of: inner };
    }
    case "test":
      return tree.test.operator === "one_of" && tree.test.values.length === 0 ? NOTHING : tree;
  }
}

/** AND and OR: `decides` is the constant that one of them is enough of; the other one changes nothing. */
function joined(
  { kind, of }: Extract<FilterTree, { kind: "all" | "any" }>,
  decides: (tree: FilterTree) => boolean,
): FilterTree {
  const simple = of.map(simplify);
  const decided = simple.find(decides);
  if (decided !== undefined) return decided;
  const open = simple.filter((each) => !isConstant(each));
  const [only] = open;
  return open.length === 1 && only !== undefined ? only : { kind, of: open };
}

function isEverything(tree: FilterTree): boolean {
  return tree.kind === "all" && isConstant(tree);
}

function isNothing(tree: FilterTree): boolean {
  return tree.kind === "any" && isConstant(tree);
}
