import fc from "fast-check";

const KEYS = ["a", "a", "a", "b", "b.c", "0", "1", "-1", "01", "ü\"'", "\\", "", "__proto__", "$1"];
const TEXTS = [
  "5", "", "a", "A", "abc", "ABC", "xabcx", "Ä", "ä", "Ää b", "ß", "ẞ", "SS", "σ", "ς", "Σ", "İ", "i", "ı", "I", "K", "k",
  "𐐀", "𐐨", "\uffff", "\u{10000}", "%", "_", ".*", "[a]", "a\nb", "'; --", "\\", "$1", "null", "true", "2026-01-01T00:00:00Z",
]; // prettier-ignore
const NUMBERS = [0, -0, 5, 5.5, -5, 1e-7, 0.1, 9_007_199_254_740_991];
const TAGS = TEXTS.filter((text) => text.trim() !== "");
const NAMES = ["a", "A", "ä", "Ä", "b/c", "\u{10000}", "\uffff", "5"];
const TIMES = [
  "2026-01-01T00:00:00Z",
  "2026-03-01T00:01:00.000Z",
  "2026-03-01T01:02:00+01:00",
  "2099-01-01T00:00:00.001Z",
];

const Text = fc.constantFrom(...TEXTS);
const Filled = Text.filter((text) => text !== "");
const Name = fc.constantFrom(...NAMES);
const Unit = fc.constantFrom(0, 0.1, 0.5, 1);
const Time = fc.constantFrom(...TIMES);
const Scalar = fc.oneof(Text, fc.constantFrom(...NUMBERS), fc.boolean(), fc.constant(null));

const { value: Json } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { weight: 4, arbitrary: Scalar },
    { weight: 2, arbitrary: fc.array(tie("value"), { maxLength: 3 }) },
    { weight: 2, arbitrary: fc.dictionary(fc.constantFrom(...KEYS), tie("value"), { maxKeys: 3 }) },
  ),
}));

/** A memory to store; `review` is an action, or none. */
export const FilterMemory = fc.record({
  fields: fc.record(
    {
      content: fc.tuple(Filled, Text).map((words) => `${words.join(" ")} one`),
      metadata: fc.dictionary(fc.constantFrom(...KEYS), Json, { maxKeys: 5 }),
      tags: fc.uniqueArray(fc.constantFrom(...TAGS), { maxLength: 3 }),
      namespace: Name,
      source_site: Name,
      source_url: Name.map((name) => `https://a.example/${name}`),
      session_id: Name,
      episode_type: Name,
      agent_id: Name,
      importance: Unit,
      trust: Unit,
      event_at: Time,
      expires_at: fc.constant("2099-01-01T00:00:00.001Z"),
    },
    { requiredKeys: ["content", "metadata"] },
  ),
  approved: fc.boolean(),
});

/** An operator object with one or two operators, or a bare scalar where `eq` is among them. */
function condition(operators: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<unknown> {
  const object = fc.record(operators, { requiredKeys: [] });
  const some = fc.tuple(object, fc.nat(), fc.nat()).map(([all, first, second]) => {
    const names = Object.keys(operators);
    const chosen = [names[first % names.length] ?? "", names[second % names.length] ?? ""];
    return Object.fromEntries(Object.entries(all).filter(([name]) => chosen.includes(name)));
  });
  const filled = some.filter((chosen) => Object.keys(chosen).length > 0);
  return operators.eq === undefined ? filled : fc.oneof({ weight: 3, arbitrary: filled }, operators.eq);
}

function equality(value: fc.Arbitrary<unknown>): Record<string, fc.Arbitrary<unknown>> {
  const values = fc.array(value, { minLength: 1, maxLength: 3 });
  return { eq: value, ne: value, in: values, nin: values, exists: fc.boolean() };
}

function ranges(value: fc.Arbitrary<unknown>): Record<string, fc.Arbitrary<unknown>> {
  return { gt: value, gte: value, lt: value, lte: value };
}

const text = condition({ ...equality(Name), ...ranges(Name), contains: Name, icontains: Name });
const unit = condition({ ...equality(Unit), ...ranges(Unit) });
const time = condition({ ...equality(Time), ...ranges(Time) });
const ofMetadata = condition({
  ...equality(Scalar),
  ...ranges(fc.oneof(Text, fc.constantFrom(...NUMBERS))),
  contains: Scalar.filter((value) => value !== ""),
  icontains: Filled,
});

const OWN: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  content: condition({ contains: Filled, icontains: Filled }),
  tags: condition({ contains: Filled, icontains: Filled, exists: fc.boolean() }),
  ...Object.fromEntries(
    ["namespace", "source_site", "source_url", "session_id", "episode_type", "external_id", "agent_id"].map((name) => [
      name,
      text,
    ]),
  ),
  importance: unit,
  trust: unit,
  revision: condition({ ...equality(fc.constantFrom(1, 1.5, 2)), ...ranges(fc.constantFrom(1, 1.5, 2)) }),
  ...Object.fromEntries(["event_at", "created_at", "updated_at", "expires_at"].map((name) => [name, time])),
  review: condition(equality(fc.constantFrom("none", "approved", "rejected"))),
  visibility: condition(equality(fc.constantFrom("workspace", "restricted"))),
};

const Path = fc
  .array(fc.constantFrom(...KEYS), { minLength: 1, maxLength: 3 })
  .map((steps) => `metadata.${steps.map((step) => step.replace(/[.\\]/g, "\\$&")).join(".")}`);

const Leaf = fc.oneof(
  fc.tuple(Path, ofMetadata),
  fc.constantFrom(...Object.keys(OWN)).chain((name) => fc.tuple(fc.constant(name), OWN[name] ?? fc.constant(null))),
);

/** A filter of at most four levels that decides something. */
export const FilterNode = fc.letrec<{ node: object }>((tie) => ({
  node: fc
    .tuple(
      fc.array(Leaf, { minLength: 1, maxLength: 2 }),
      fc.option(
        fc.oneof(
          { maxDepth: 2 },
          fc.record({ NOT: tie("node") }),
          fc.record({ OR: fc.array(tie("node"), { minLength: 1, maxLength: 3 }) }),
          fc.record({ AND: fc.array(tie("node"), { minLength: 1, maxLength: 2 }) }),
        ),
        { maxDepth: 3, depthSize: "small" },
      ),
      fc.nat(2),
    )
    .map(([leaves, more, which]) => {
      if (which === 0 && more !== null) return more;
      return { ...Object.fromEntries(leaves), ...more };
    }),
})).node;
