/**
 * JSON text of a value with the keys of every object in order of their UTF-16 code units (RFC 8785, section 3.2.3), so
 * that equal values have equal texts. Dates become RFC 3339; undefined members are left out, as in JSON.stringify.
 */
export function canonicalJson(value: unknown): string {
  const plain = value instanceof Date ? value.toJSON() : value;
  if (typeof plain !== "object" || plain === null) return JSON.stringify(plain ?? null);
  if (Array.isArray(plain)) return `[${plain.map(canonicalJson).join(",")}]`;
  // The text is put together here, since an object that is built with its keys in order does not keep keys like "10" there.
  const members = Object.entries(plain)
    .filter(([, inner]) => inner !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, inner]) => `${JSON.stringify(key)}:${canonicalJson(inner)}`);
  return `{${members.join(",")}}`;
}
