/**
 * JSON text of a value with the keys of every object in order of their code units, so that equal values have equal
 * texts. Dates become RFC 3339; undefined members are left out, as in JSON.stringify.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value ?? null, (_key, inner: unknown) => (isRecord(inner) ? sorted(inner) : inner));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function sorted(record: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
  // A prototype-free object keeps a key such as __proto__ as data.
  return Object.assign(Object.create(null) as Record<string, unknown>, Object.fromEntries(entries));
}
