/** A vector as a parameter: `Float32Array` of the space's dimensions, sent in pgvector's binary form. */
export class VectorParameter {
  constructor(readonly vector: Float32Array) {}
}

/** Many vectors as one `vector[]` parameter; null where a row has none. */
export class VectorArrayParameter {
  constructor(readonly vectors: readonly (Float32Array | null)[]) {}
}

export type SqlValue =
  | string
  | number
  | bigint
  | boolean
  | Date
  | null
  | Uint8Array
  | VectorParameter
  | VectorArrayParameter
  | readonly (string | number | bigint | boolean | null)[];

/** A statement or a fragment of one: `text` between the values; every value becomes a numbered parameter. */
export interface Sql {
  readonly parts: readonly string[];
  readonly values: readonly SqlValue[];
}

/** Builds SQL in which a value stands where it is used and becomes a parameter; nested fragments are spliced in. */
export function sql(strings: TemplateStringsArray, ...inputs: readonly (SqlValue | Sql)[]): Sql {
  const parts: string[] = [];
  const values: SqlValue[] = [];
  let text = strings[0] ?? "";
  inputs.forEach((input, index) => {
    const [first = "", ...rest] = isSql(input) ? input.parts : ["", ""];
    values.push(...(isSql(input) ? input.values : [input]));
    text += first;
    for (const part of rest) {
      parts.push(text);
      text = part;
    }
    text += strings[index + 1] ?? "";
  });
  return { parts: [...parts, text], values };
}

/** Fragments side by side, `separator` between them. */
export function joinSql(fragments: readonly Sql[], separator: string): Sql {
  return fragments.reduce<Sql>(
    (all, each, index) => (index === 0 ? each : sql`${all}${trustedSql(separator)}${each}`),
    sql``,
  );
}

/** SQL text of our own, never of a caller: migration files and separators. */
export function trustedSql(text: string): Sql {
  return { parts: [text], values: [] };
}

/** `text` with `$1`, `$2`, … for the driver. */
export function numbered(statement: Sql): string {
  return statement.parts.reduce((text, part, index) => `${text}$${String(index)}${part}`);
}

function isSql(input: SqlValue | Sql): input is Sql {
  return typeof input === "object" && input !== null && "parts" in input;
}
